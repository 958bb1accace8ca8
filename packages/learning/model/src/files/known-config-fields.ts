/*
 * Fields of a Hugging Face config.json that do not change what the model computes. Older versions of transformers wrote every
 * generation setting into config.json, and trainers leave settings of their own.
 */

/** Identity of the file and of the tokens, shapes of outputs, and settings of tools that wrote or ran the model. */
const bookkeeping = [
  "architectures",
  "attn_implementation",
  "auto_map",
  "bos_token_id",
  "chunk_size_feed_forward",
  "custom_pipelines",
  "decoder_start_token_id",
  "dtype",
  "eos_token_id",
  "finetuning_task",
  "id2label",
  "is_llama_config",
  "keys_to_ignore_at_inference",
  "label2id",
  "mask_token_id",
  "max_sequence_length",
  "max_window_layers",
  "model_max_length",
  "name_or_path",
  "num_labels",
  "output_attentions",
  "output_hidden_states",
  "pad_token_id",
  "padding_side",
  "prefix",
  "problem_type",
  "return_dict",
  "sep_token_id",
  "task_specific_params",
  "tf_legacy_loss",
  "tokenizer_class",
  "tokenizer_model_max_length",
  "tokenizer_padding_side",
  "torch_dtype",
  "torchscript",
  "unk_token_id",
  "use_bfloat16",
  "use_cache",
  "use_flash_attention",
  "use_flash_attention_2",
  "use_flash_attn",
  "use_return_dict",
] as const;

/** Used by training only: initialization, dropout, memory. */
const trainingLeftovers = [
  "attention_dropout",
  "attn_pdrop",
  "classifier_dropout",
  "dropout",
  "embd_pdrop",
  "embedding_dropout",
  "gradient_checkpointing",
  "gradient_checkpointing_kwargs",
  "hidden_dropout",
  "hidden_dropout_prob",
  "initializer_factor",
  "initializer_range",
  "layerdrop",
  "neftune_noise_alpha",
  "resid_pdrop",
  "use_gradient_checkpointing",
] as const;

/** The fields of transformers' GenerationConfig, which belong into generation_config.json. */
const generationDefaults = [
  "assistant_confidence_threshold",
  "assistant_early_exit",
  "assistant_lookbehind",
  "bad_words_ids",
  "begin_suppress_tokens",
  "cache_config",
  "cache_implementation",
  "compile_config",
  "constraints",
  "disable_compile",
  "diversity_penalty",
  "do_sample",
  "dola_layers",
  "early_stopping",
  "encoder_no_repeat_ngram_size",
  "encoder_repetition_penalty",
  "epsilon_cutoff",
  "eta_cutoff",
  "exponential_decay_length_penalty",
  "force_words_ids",
  "forced_bos_token_id",
  "forced_decoder_ids",
  "forced_eos_token_id",
  "generation_config",
  "guidance_scale",
  "is_assistant",
  "length_penalty",
  "low_memory",
  "max_length",
  "max_matching_ngram_size",
  "max_new_tokens",
  "max_time",
  "min_length",
  "min_new_tokens",
  "min_p",
  "no_repeat_ngram_size",
  "num_assistant_tokens",
  "num_assistant_tokens_schedule",
  "num_beam_groups",
  "num_beams",
  "num_return_sequences",
  "output_logits",
  "output_scores",
  "penalty_alpha",
  "prefill_chunk_size",
  "prompt_lookup_num_tokens",
  "remove_invalid_values",
  "renormalize_logits",
  "repetition_penalty",
  "return_dict_in_generate",
  "return_legacy_cache",
  "sequence_bias",
  "stop_strings",
  "suppress_tokens",
  "target_lookbehind",
  "temperature",
  "token_healing",
  "top_h",
  "top_k",
  "top_p",
  "typical_p",
  "watermarking_config",
] as const;

const harmless: ReadonlySet<string> = new Set([...bookkeeping, ...trainingLeftovers, ...generationDefaults]);

/** Fields that change nothing at these values, and something at others. */
const neutralValues: Readonly<Record<string, readonly unknown[]>> = {
  add_cross_attention: [false],
  embedding_multiplier: [1],
  is_causal: [true],
  // transformers' causal classes mask the future whatever it says.
  is_decoder: [true, false],
  is_encoder_decoder: [false],
  logit_scale: [1],
  logits_scaling: [1],
  partial_rotary_factor: [1],
  residual_multiplier: [1],
  rotary_pct: [1],
  tie_encoder_decoder: [false],
};

/** Names of fields that a program keeps for itself: transformers' own begin with an underscore, as do notes of people. */
const ownNames = /^(_|unsloth_|transformers[._])/;

/** Returns whether the model is the same without the field. */
export function changesNothing(field: string, value: unknown): boolean {
  if (value === null || harmless.has(field) || ownNames.test(field)) return true;
  if (field === "pruned_heads") return typeof value === "object" && Object.keys(value ?? {}).length === 0;
  return neutralValues[field]?.includes(value) ?? false;
}

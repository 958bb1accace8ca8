import { loadBackend } from "@palimpsest/jit";
import { BpeTokenizer, initParameters, type ModelFolder, trainBpe } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { ServedModel } from "./served-model.js";

const template = `{%- if tools %}<|im_start|>system
{{ tools | tojson }}<|im_end|>
{% endif -%}
{%- for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif -%}`;

/**
 * Creates a chat model with random weights. Its answers are meaningless, but deterministic.
 * @param options.ends false: no token ends an answer
 */
export function aTinyModel({ ends = true } = {}): ModelFolder {
  const trained = trainBpe(["the cat sat on the mat. the dog sat on the log. user assistant system"], {
    vocabSize: 320,
    specialTokens: ["<|im_start|>", "<|im_end|>"],
    alphabet: "bytes",
  });
  const tokenizer = new BpeTokenizer(trained.json, {
    ...(ends ? { eos_token: "<|im_end|>" } : {}),
    chat_template: template,
  });
  const config = smallConfig({
    architecture: "qwen3",
    vocabSize: tokenizer.vocabSize,
    layers: 1,
    heads: 4,
    kvHeads: 2,
    maxPositions: 2048,
  });
  // The scale is large enough that greedy and sampled tokens differ from prompt to prompt.
  const parameters = initParameters(config, 1, { projectionStd: 0.3, residualStd: 0.3, headStd: 0.4 });
  return { config, parameters, tokenizer };
}

export async function aServedModel(folder: ModelFolder): Promise<ServedModel> {
  const backend = await loadBackend();
  return new ServedModel(folder, {
    name: "tiny",
    policyVersion: 7,
    backend,
    maxBatch: 4,
    maxWaiting: 16,
  });
}

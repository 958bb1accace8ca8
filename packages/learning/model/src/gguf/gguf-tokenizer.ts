import { problemsLine, readInput } from "@palimpsest/std/input";
import { z } from "zod";
import { ModelError } from "../base/error.js";
import { beginProcessor } from "../tokens/begin-tokens.js";
import { BpeTokenizer } from "../tokens/bpe-tokenizer.js";
import { pieceType, sentencePieceJson } from "../tokens/sentence-pieces.js";
import type { GgufFile } from "./gguf-file.js";
import { preTokenizers } from "./pre-tokenizers.js";

const tokenId = z.int().nonnegative();

const metadataSchema = z.object({
  "tokenizer.ggml.model": z.string(),
  "tokenizer.ggml.pre": z.string().optional(),
  "tokenizer.ggml.tokens": z.array(z.string()).min(1),
  "tokenizer.ggml.token_type": z.array(z.int()),
  "tokenizer.ggml.merges": z.array(z.string()).default([]),
  "tokenizer.ggml.scores": z.array(z.number()).default([]),
  "tokenizer.ggml.add_space_prefix": z.boolean().default(true),
  "tokenizer.ggml.bos_token_id": tokenId.optional(),
  "tokenizer.ggml.eos_token_id": tokenId.optional(),
  "tokenizer.ggml.unknown_token_id": tokenId.optional(),
  "tokenizer.ggml.padding_token_id": tokenId.optional(),
  "tokenizer.ggml.add_bos_token": z.boolean().optional(),
  "tokenizer.chat_template": z.string().optional(),
});

type TokenizerMetadata = z.infer<typeof metadataSchema>;

/**
 * Returns the tokenizer that a file's metadata describes, built as from tokenizer.json and tokenizer_config.json.
 * @throws {ModelError} TOKENIZER_INVALID for a tokenizer that is neither a byte-level BPE nor one of sentencepiece, an unknown
 *   pre-tokenizer, or tables that contradict each other
 */
export function tokenizerFromGguf(file: GgufFile): BpeTokenizer {
  const fail = (what: string, cause?: unknown): never => {
    throw new ModelError("TOKENIZER_INVALID", `${file.path}: ${what}`, { cause });
  };
  const kind = file.metadata.get("tokenizer.ggml.model");
  if (kind === undefined) fail("no tokenizer in the metadata (tokenizer.ggml.model is missing)");
  if (kind !== "gpt2" && kind !== "llama")
    fail(
      `tokenizer.ggml.model is ${JSON.stringify(kind)}; only gpt2, the byte-level BPE, and llama, sentencepiece's, can be read`,
    );
  const read = readInput(metadataSchema, Object.fromEntries(file.metadata));
  if ("problems" in read) return fail(problemsLine(read.problems), read.error);
  const metadata = read.data;
  const tokens = metadata["tokenizer.ggml.tokens"];
  const types = metadata["tokenizer.ggml.token_type"];
  if (types.length !== tokens.length) fail(`has ${tokens.length} tokens, but ${types.length} token types`);
  if (kind === "llama") {
    const scores = metadata["tokenizer.ggml.scores"];
    if (scores.length !== tokens.length) fail(`has ${tokens.length} tokens, but ${scores.length} scores`);
    return new BpeTokenizer(piecesJson(metadata), configJson(metadata));
  }
  const vocab = vocabOf(tokens, types);
  const damagedMerge = metadata["tokenizer.ggml.merges"].find((merge) => !mergeFits(merge, vocab));
  if (damagedMerge !== undefined)
    fail(`merge ${JSON.stringify(damagedMerge)} does not join two tokens into a third`);
  const name = metadata["tokenizer.ggml.pre"];
  const pre = preTokenizers.get(name ?? "");
  if (pre === undefined) {
    const known = [...preTokenizers.keys()].join(", ");
    const found =
      name === undefined ? "missing, because an old converter wrote the file" : JSON.stringify(name);
    return fail(`tokenizer.ggml.pre is ${found}, but only ${known} are known`);
  }
  const json = {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: addedTokens(tokens, types),
    normalizer: pre.normalizer,
    pre_tokenizer: pre.preTokenizer,
    post_processor: beginMarker(metadata, pre.addsBeginToken),
    decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: pre.ignoreMerges,
      vocab: Object.fromEntries(vocab),
      merges: metadata["tokenizer.ggml.merges"],
    },
  };
  return new BpeTokenizer(json, configJson(metadata));
}

/** The tokenizer.json of a BPE of sentencepiece, which llama.cpp runs as transformers' older form. */
function piecesJson(metadata: TokenizerMetadata): unknown {
  const [scores, types] = [metadata["tokenizer.ggml.scores"], metadata["tokenizer.ggml.token_type"]];
  const pieces = metadata["tokenizer.ggml.tokens"].map((text, id) => ({
    text,
    score: scores[id] as number,
    type: types[id] as number,
  }));
  const begins = metadata["tokenizer.ggml.add_bos_token"] ?? true;
  return sentencePieceJson({
    pieces,
    hasBytes: pieces.some(({ type }) => type === pieceType.byte),
    space: metadata["tokenizer.ggml.add_space_prefix"] ? "each" : "none",
    beginTokenId: begins ? metadata["tokenizer.ggml.bos_token_id"] : undefined,
  });
}

/** Returns the vocabulary. It contains special tokens too, because the Rust library takes their ids from it. */
function vocabOf(tokens: readonly string[], types: readonly number[]): Map<string, number> {
  return new Map(
    tokens.flatMap((token, id) => (types[id] === pieceType.unused ? [] : [[token, id] as const])),
  );
}

function mergeFits(merge: string, vocab: ReadonlyMap<string, number>): boolean {
  const [left, right, ...more] = merge.split(" ");
  if (left === undefined || right === undefined || more.length > 0) return false;
  return vocab.has(left) && vocab.has(right) && vocab.has(left + right);
}

function addedTokens(tokens: readonly string[], types: readonly number[]) {
  return tokens.flatMap((content, id) => {
    const type = types[id];
    if (type !== pieceType.control && type !== pieceType.userDefined) return [];
    const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false };
    return [{ id, content, ...plain, special: type === pieceType.control }];
  });
}

/**
 * Returns the post-processor that puts the begin token before every text, or null for a model that does not want it.
 * @param byDefault whether the model wants it when the file does not say
 */
function beginMarker(metadata: TokenizerMetadata, byDefault: boolean): unknown {
  const id = metadata["tokenizer.ggml.bos_token_id"];
  const token = id === undefined ? undefined : metadata["tokenizer.ggml.tokens"][id];
  const wanted = metadata["tokenizer.ggml.add_bos_token"] ?? byDefault;
  return !wanted || token === undefined || id === undefined ? null : beginProcessor(token, id);
}

function configJson(metadata: TokenizerMetadata): Record<string, unknown> {
  const tokens = metadata["tokenizer.ggml.tokens"];
  const named = {
    bos_token: metadata["tokenizer.ggml.bos_token_id"],
    eos_token: metadata["tokenizer.ggml.eos_token_id"],
    unk_token: metadata["tokenizer.ggml.unknown_token_id"],
    pad_token: metadata["tokenizer.ggml.padding_token_id"],
  };
  const special = Object.entries(named).flatMap(([name, id]) => {
    const token = id === undefined ? undefined : tokens[id];
    return token === undefined ? [] : [[name, token] as const];
  });
  const template = metadata["tokenizer.chat_template"];
  return {
    tokenizer_class: "PreTrainedTokenizerFast",
    add_prefix_space: false,
    clean_up_tokenization_spaces: false,
    ...Object.fromEntries(special),
    ...(template === undefined ? {} : { chat_template: template }),
  };
}

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { type ModelConfig, type ModelConfigInput, parseModelConfig } from "../base/config.js";
import type { ModelErrorCode } from "../base/error.js";
import { initParameters } from "../base/parameters.js";
import { writableTensors } from "../files/hf-weights.js";
import { ropeFrequencies } from "../forward/rope.js";
import { byteCharacters } from "../tokens/byte-alphabet.js";
import {
  bool,
  float32,
  float32s,
  float32Tensor,
  ggufBytes,
  int32s,
  type TensorToWrite,
  type Typed,
  text,
  texts,
  uint32,
} from "./gguf-writer.fixture.js";
import { loadGguf } from "./load-gguf.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const tokenizers = `${shared}/data/tokenizers`;
const missing = !existsSync(tokenizers);
if (missing) process.stderr.write(`skipped: no tokenizers at ${tokenizers} (PALIMPSEST_SHARED moves it)\n`);

const folder = fileFolder();
let files = 0;

const shape: Omit<ModelConfigInput, "architecture"> = {
  vocabSize: 260,
  hiddenSize: 12,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 6,
  intermediateSize: 20,
  ropeTheta: 100_000,
  rmsNormEps: 1e-5,
  tieWordEmbeddings: true,
  maxPositions: 64,
};
const configOf = (more: Partial<ModelConfigInput> & Pick<ModelConfigInput, "architecture">) =>
  parseModelConfig({ ...shape, ...more });

function metadataOf(config: ModelConfig): Record<string, Typed> {
  const own: Record<string, Typed> = {
    block_count: uint32(config.layers),
    context_length: uint32(config.maxPositions),
    embedding_length: uint32(config.hiddenSize),
    feed_forward_length: uint32(config.intermediateSize),
    "attention.head_count": uint32(config.heads),
    "attention.head_count_kv": uint32(config.kvHeads),
    "attention.key_length": uint32(config.headDim),
    "attention.value_length": uint32(config.headDim),
    "attention.layer_norm_rms_epsilon": float32(config.rmsNormEps),
    "rope.freq_base": float32(config.ropeTheta),
    "rope.dimension_count": uint32(config.headDim),
  };
  const prefixed = Object.entries(own).map(([key, value]) => [`${config.architecture}.${key}`, value]);
  return { "general.architecture": text(config.architecture), ...Object.fromEntries(prefixed) };
}

/** 256 bytes, three merged words, one special token; id order as written here. */
const tokens = [...byteCharacters, "he", "hey", "Ġhe", "<|end|>"];
const types = [...tokens.slice(0, -1).map(() => 1), 3];
const tokenizerMetadata: Record<string, Typed> = {
  "tokenizer.ggml.model": text("gpt2"),
  "tokenizer.ggml.pre": text("gpt-2"),
  "tokenizer.ggml.tokens": texts(tokens),
  "tokenizer.ggml.token_type": int32s(types),
  "tokenizer.ggml.merges": texts(["h e", "he y", "Ġ he"]),
  "tokenizer.ggml.bos_token_id": uint32(259),
  "tokenizer.ggml.eos_token_id": uint32(259),
  "tokenizer.chat_template": text("{{ messages[0]['content'] }}"),
};

const ggufNames: Readonly<Record<string, string>> = {
  "model.embed_tokens": "token_embd",
  lm_head: "output",
  "model.norm": "output_norm",
  input_layernorm: "attn_norm",
  "self_attn.q_proj": "attn_q",
  "self_attn.k_proj": "attn_k",
  "self_attn.v_proj": "attn_v",
  "self_attn.o_proj": "attn_output",
  "self_attn.q_norm": "attn_q_norm",
  "self_attn.k_norm": "attn_k_norm",
  post_attention_layernorm: "ffn_norm",
  "mlp.gate_proj": "ffn_gate",
  "mlp.up_proj": "ffn_up",
  "mlp.down_proj": "ffn_down",
};

/** What llama.cpp's converter writes; for llama it turns query and key rows [half, pair] into [pair, half]. */
function tensorsOf(config: ModelConfig): TensorToWrite[] {
  const parameters = initParameters(config, 5);
  return writableTensors(config, parameters).map(({ name: hfName, shape: hfShape, fillRows }) => {
    const values = new Float32Array(hfShape.reduce((product, dimension) => product * dimension, 1));
    fillRows(0, values);
    const [, layer, stem, kind] = /^(?:model\.layers\.(\d+)\.)?(.+)\.(weight|bias)$/.exec(
      hfName,
    ) as unknown as string[];
    const name = `${layer === undefined ? "" : `blk.${layer}.`}${ggufNames[stem as string]}.${kind}`;
    const turned = config.architecture === "llama" && /attn_[qk]\.weight$/.test(name);
    return float32Tensor(name, hfShape, turned ? interleaved(values, config.headDim) : values);
  });
}

function interleaved(values: Float32Array, headDim: number): Float32Array {
  const width = shape.hiddenSize;
  const half = headDim / 2;
  return values.map((_, i) => {
    const row = Math.floor(i / width);
    const head = Math.floor(row / headDim);
    const within = row % headDim;
    const source = head * headDim + (within % 2) * half + Math.floor(within / 2);
    return values[source * width + (i % width)] as number;
  });
}

async function load(metadata: Record<string, Typed>, tensors: readonly TensorToWrite[]) {
  const path = join(folder, `${files++}.gguf`);
  await writeFile(path, ggufBytes(metadata, tensors));
  return await loadGguf(path);
}

const llama = configOf({ architecture: "llama" });
const good = { ...metadataOf(llama), ...tokenizerMetadata };
const tensors = tensorsOf(llama);

async function expectRefused(loaded: Promise<unknown>, code: ModelErrorCode, words: string): Promise<void> {
  await expect(loaded).rejects.toMatchObject({ code });
  await expect(loaded).rejects.toThrow(words);
}

describe("a model of a GGUF file", () => {
  it.each([
    configOf({ architecture: "llama" }),
    configOf({ architecture: "llama", tieWordEmbeddings: false, kvHeads: 4 }),
    configOf({ architecture: "qwen2" }),
    configOf({ architecture: "qwen3", headDim: 8 }),
  ])("is the $architecture model that was written ($kvHeads key heads, head of $headDim)", async (config) => {
    const loaded = await load({ ...metadataOf(config), ...tokenizerMetadata }, tensorsOf(config));
    expect(loaded.config).toEqual(config);
    expect(loaded.parameters).toEqual(initParameters(config, 5));
  });

  it("has the head's width from the other widths, and a key head for every head, where the file says neither", async () => {
    const config = configOf({ architecture: "llama", headDim: 4, heads: 3, kvHeads: 3 });
    const {
      "llama.attention.key_length": _k,
      "llama.attention.value_length": _v,
      ...rest
    } = metadataOf(config);
    const { "llama.attention.head_count_kv": _h, "llama.rope.dimension_count": _d, ...fewer } = rest;
    const loaded = await load({ ...fewer, ...tokenizerMetadata }, tensorsOf(config));
    expect(loaded.config).toEqual(config);
  });

  it("takes llama3's rotary scaling from the table of its divisors, and refuses another table", async () => {
    const numbers = { factor: 32, lowFreqFactor: 1, highFreqFactor: 4, originalMaxPositions: 8192 };
    const ropeScaling = { type: "llama3", ...numbers } as const;
    const scaled = configOf({ architecture: "llama", ropeScaling, ropeTheta: 500_000 });
    const plain = ropeFrequencies({ ...scaled, ropeScaling: undefined } as unknown as ModelConfig);
    const divisors = Float32Array.from(
      ropeFrequencies(scaled),
      (frequency, i) => (plain[i] as number) / frequency,
    );
    const metadata = { ...metadataOf(scaled), ...tokenizerMetadata };
    const table = float32Tensor("rope_freqs.weight", [3], divisors);
    expect((await load(metadata, [...tensors, table])).config).toEqual(scaled);
    const other = float32Tensor(
      "rope_freqs.weight",
      [3],
      divisors.map((divisor) => Math.sqrt(divisor) + 1),
    );
    await expectRefused(load(metadata, [...tensors, other]), "CONFIG_INVALID", "rope_freqs.weight");
  });

  it.each<[string, Typed, string]>([
    [
      "general.architecture",
      text("gemma3"),
      "use a model of architecture llama (which includes Mistral), qwen2 or qwen3",
    ],
    ["llama.expert_count", uint32(8), "mixtures of experts"],
    ["llama.rope.scaling.type", text("yarn"), 'llama.rope.scaling.type is "yarn"'],
    ["llama.rope.dimension_count", uint32(4), "the width of a head, 6"],
    ["llama.attention.sliding_window", uint32(16), "only full attention"],
    ["llama.block_count", text("two"), "llama.block_count"],
    ["llama.attention.head_count_kv", uint32(3), "kvHeads must divide heads"],
    ["llama.attention.causal", bool(false), "llama.attention.causal is false; this is not supported"],
    ["llama.logit_scale", float32(0.5), "llama.logit_scale is 0.5; this is not supported"],
    ["llama.final_logit_softcapping", float32(30), "llama.final_logit_softcapping is 30"],
    ["llama.attention.scale", float32(0.5), "llama.attention.scale is 0.5"],
    ["llama.rope.scaling.factor", float32(4), "llama.rope.scaling.factor is 4"],
    ["llama.some_new_key", uint32(1), "llama.some_new_key is 1; this key is unknown"],
  ])("is refused by name when %s is not what can be computed", async (key, value, words) => {
    await expectRefused(load({ ...good, [key]: value }, tensors), "CONFIG_INVALID", words);
  });

  it("is the same model with keys that change nothing", async () => {
    const more = {
      "llama.vocab_size": uint32(260),
      "llama.attention.causal": bool(true),
      "llama.attention.scale": float32(1 / Math.sqrt(6)),
      "llama.logit_scale": float32(1),
      "llama.rope.scaling.type": text("none"),
      "llama.rope.scaling.factor": float32(4),
      "llama.rope.scaling.original_context_length": uint32(32),
    };
    expect((await load({ ...good, ...more }, tensors)).config).toEqual((await load(good, tensors)).config);
  });

  it("is refused by name when a tensor is missing, unknown or of another shape", async () => {
    const without = tensors.filter(({ name }) => name !== "blk.1.ffn_up.weight");
    await expectRefused(load(good, without), "TENSOR_MISSING", "model.layers.1.mlp.up_proj.weight");
    const noEmbedding = tensors.filter(({ name }) => name !== "token_embd.weight");
    await expectRefused(load(good, noEmbedding), "TENSOR_MISSING", "token_embd.weight");
    const foreign = float32Tensor("blk.0.ssm_a", [2], new Float32Array(2));
    await expectRefused(load(good, [...tensors, foreign]), "TENSOR_UNKNOWN", "blk.0.ssm_a");
    const bias = float32Tensor("blk.0.attn_q.bias", [24], new Float32Array(24));
    await expectRefused(load(good, [...tensors, bias]), "TENSOR_UNKNOWN", "q_proj.bias");
    const narrow = { ...good, "llama.feed_forward_length": uint32(16) };
    await expectRefused(load(narrow, tensors), "SHAPE_MISMATCH", "mlp.");
  });
});

describe("the tokenizer of a GGUF file", () => {
  const tokenizerOf = async (more: Record<string, Typed> = {}) =>
    (await load({ ...good, ...more }, tensors)).tokenizer as NonNullable<
      Awaited<ReturnType<typeof loadGguf>>["tokenizer"]
    >;
  const bytes = (word: string) => [...word].map((character) => byteCharacters.indexOf(character));

  it("merges by its table, finds special tokens and hands the chat template on", async () => {
    const tokenizer = await tokenizerOf();
    expect(tokenizer.encode("hey he<|end|>")).toEqual([257, 258, 259]);
    expect(tokenizer.decode([257, 258, 259])).toBe("hey he<|end|>");
    expect(tokenizer.specialTokenId("<|end|>")).toBe(259);
    expect(tokenizer.configJson).toMatchObject({
      bos_token: "<|end|>",
      eos_token: "<|end|>",
      chat_template: "{{ messages[0]['content'] }}",
    });
  });

  it("cuts digits as the named pre-tokenizer does", async () => {
    // "1" and "12" are joined by merges where the split lets them meet.
    const digits = [...tokens, "12", "123", "1234"];
    const more = {
      "tokenizer.ggml.tokens": texts(digits),
      "tokenizer.ggml.token_type": int32s([...types, 1, 1, 1]),
      "tokenizer.ggml.merges": texts(["1 2", "12 3", "123 4"]),
    };
    const cut = async (pre: string) =>
      (await tokenizerOf({ ...more, "tokenizer.ggml.pre": text(pre) })).encode("1234");
    expect(await cut("gpt-2")).toEqual([262]);
    expect(await cut("default")).toEqual([262]);
    expect(await cut("llama-bpe")).toEqual([261, ...bytes("4")]);
    expect(await cut("smollm")).toEqual(bytes("1234"));
    expect(await cut("qwen2")).toEqual(bytes("1234"));
    const groups = [
      ["gpt-2", "gpt2"],
      ["qwen2", "deepseek-r1-qwen"],
      ["llama-bpe", "llama3", "llama-v3"],
    ];
    for (const [first = "", ...others] of groups)
      for (const other of others) expect(await cut(other)).toEqual(await cut(first));
  });

  it("cuts words between cases as Tekken does", async () => {
    const words = [...tokens, "Hey", "heyHey"];
    const tokenizer = await tokenizerOf({
      "tokenizer.ggml.pre": text("tekken"),
      "tokenizer.ggml.tokens": texts(words),
      "tokenizer.ggml.token_type": int32s([...types, 1, 1]),
    });
    // The longer token would be taken if the words were one.
    expect(tokenizer.encode("heyHey")).toEqual([257, 260]);
    expect(tokenizer.encode("12")).toEqual(bytes("12"));
    expect(tokenizer.beginTokenIds).toEqual([259]);
  });

  it("says which tokens begin and end, a turn's end beside a text's", async () => {
    const { generationConfig } = await load(
      { ...good, "tokenizer.ggml.padding_token_id": uint32(3) },
      tensors,
    );
    expect(generationConfig).toEqual({ bos_token_id: 259, eos_token_id: 259, pad_token_id: 3 });
    const turns = await load({ ...good, "tokenizer.ggml.eot_token_id": uint32(5) }, tensors);
    expect(turns.generationConfig).toEqual({ bos_token_id: 259, eos_token_id: [259, 5] });
    const beyond = load({ ...good, "tokenizer.ggml.eos_token_id": uint32(260) }, tensors);
    await expectRefused(beyond, "TOKENIZER_INVALID", "tokenizer.ggml.eos_token_id is 260; ids are 0 to 259");
  });

  it("reads that of sentencepiece, with its scores in place of merges", async () => {
    const [space, ...letters] = ["▁", "h", "e", "y"];
    const pieces = ["<unk>", "<s>", "<0x21>", space, ...letters, "he", "▁he", "ey", "<sep>"] as string[];
    const given = {
      "tokenizer.ggml.model": text("llama"),
      "tokenizer.ggml.tokens": texts(pieces),
      "tokenizer.ggml.token_type": int32s([2, 3, 6, 1, 1, 1, 1, 1, 1, 1, 4]),
      "tokenizer.ggml.scores": float32s([0, 0, 0, -9, -9, -9, -9, -2, -3, -1, 0]),
      "tokenizer.ggml.bos_token_id": uint32(1),
      "tokenizer.ggml.eos_token_id": uint32(1),
    };
    const { "tokenizer.ggml.merges": _, "tokenizer.ggml.pre": __, ...plain } = good;
    const read = async (more: Record<string, Typed>) => {
      const { tokenizer } = await load({ ...plain, ...given, ...more }, tensors);
      if (tokenizer === undefined) throw new Error("no tokenizer");
      return tokenizer;
    };
    const tokenizer = await read({});
    // "ey" has a larger score than "he"; what has no piece and no byte is unknown.
    expect(tokenizer.encode("he hey!?")).toEqual([8, 3, 4, 9, 2, 0]);
    expect(tokenizer.encode("<sep>he")).toEqual([10, 8]);
    expect(tokenizer.decode([8, 3, 4, 9, 2])).toBe("he hey!");
    expect(tokenizer.beginTokenIds).toEqual([1]);
    const bare = await read({
      "tokenizer.ggml.add_space_prefix": bool(false),
      "tokenizer.ggml.add_bos_token": bool(false),
    });
    expect(bare.encode("he hey")).toEqual([7, 3, 4, 9]);
    expect(bare.beginTokenIds).toEqual([]);
  });

  it("leaves out ids that the vocabulary does not use", async () => {
    const more = {
      "tokenizer.ggml.tokens": texts([...tokens, "[PAD260]"]),
      "tokenizer.ggml.token_type": int32s([...types, 5]),
    };
    expect((await tokenizerOf(more)).vocabSize).toBe(260);
  });

  it("says in tokenizer.json that texts begin with a token, and leaves that to whoever encodes", async () => {
    const tokenizer = await tokenizerOf({ "tokenizer.ggml.add_bos_token": bool(true) });
    expect(tokenizer.json).toMatchObject({ post_processor: { type: "TemplateProcessing" } });
    expect(tokenizer.encode("he")).toEqual([256]);
    expect(tokenizer.encodePrompt("he")).toEqual([259, 256]);
  });

  it("begins texts where the file does not say as llama.cpp does: Llama 3's yes, others not", async () => {
    const llama = { "tokenizer.ggml.pre": text("llama-bpe") };
    expect((await tokenizerOf(llama)).beginTokenIds).toEqual([259]);
    expect((await tokenizerOf({ "tokenizer.ggml.pre": text("qwen2") })).beginTokenIds).toEqual([]);
    const without = { ...llama, "tokenizer.ggml.add_bos_token": bool(false) };
    expect((await tokenizerOf(without)).beginTokenIds).toEqual([]);
  });

  it.each<[Record<string, Typed>, string]>([
    [{ "tokenizer.ggml.model": text("llama") }, "260 tokens, but 0 scores"],
    [{ "tokenizer.ggml.model": text("bert") }, '"bert"; only gpt2'],
    [{ "tokenizer.ggml.pre": text("superbpe") }, 'tokenizer.ggml.pre is "superbpe"'],
    [{ "tokenizer.ggml.token_type": int32s([1]) }, "260 tokens, but 1 token types"],
    [{ "tokenizer.ggml.merges": texts(["h e", "x y z"]) }, 'merge "x y z"'],
    [{ "tokenizer.ggml.merges": texts(["q z"]) }, 'merge "q z"'],
    [{ "tokenizer.ggml.tokens": int32s([1]) }, "tokenizer.ggml.tokens"],
  ])("is refused by name: %o", async (more, words) => {
    await expectRefused(load({ ...good, ...more }, tensors), "TOKENIZER_INVALID", words);
  });

  it("of an old file without a pre-tokenizer's name, or without any tokenizer, is refused", async () => {
    const { "tokenizer.ggml.pre": _, ...old } = good;
    await expectRefused(load(old, tensors), "TOKENIZER_INVALID", "tokenizer.ggml.pre is missing");
    await expectRefused(
      load(metadataOf(llama), tensors),
      "TOKENIZER_INVALID",
      "no tokenizer in the metadata",
    );
  });

  it.skipIf(missing).each([
    ["qwen3", "qwen2"],
    ["minimind", "gpt-2"],
  ])("encodes every golden text of %s from its tables alone", async (name, pre) => {
    const source = JSON.parse(await readFile(`${tokenizers}/${name}/tokenizer.json`, "utf8")) as {
      readonly model: {
        readonly vocab: Readonly<Record<string, number>>;
        readonly merges: readonly (string | readonly string[])[];
      };
      readonly added_tokens: readonly {
        readonly id: number;
        readonly content: string;
        readonly special: boolean;
      }[];
    };
    const golden = JSON.parse(await readFile(`${tokenizers}/goldens/${name}.encode.json`, "utf8")) as {
      readonly cases: readonly { readonly text: string; readonly ids: readonly number[] }[];
    };
    const byId: string[] = [];
    const typeOf: number[] = [];
    for (const [token, id] of Object.entries(source.model.vocab)) {
      byId[id] = token;
      typeOf[id] = 1;
    }
    for (const { id, content, special } of source.added_tokens) {
      byId[id] = content;
      typeOf[id] = special ? 3 : 4;
    }
    const merges = source.model.merges.map((merge) => (typeof merge === "string" ? merge : merge.join(" ")));
    const tokenizer = await tokenizerOf({
      "tokenizer.ggml.pre": text(pre),
      "tokenizer.ggml.tokens": texts(byId),
      "tokenizer.ggml.token_type": int32s(typeOf),
      "tokenizer.ggml.merges": texts(merges),
    });
    expect(golden.cases.length).toBeGreaterThan(10);
    for (const { text: given, ids } of golden.cases) expect(tokenizer.encode(given), given).toEqual(ids);
  });
});

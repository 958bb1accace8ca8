import { type ModelConfigInput, parseModelConfig } from "../base/config.js";
import type { HubModel, KnownModel } from "./known-model.js";
import { smollm2 } from "./smollm2.js";

type Shape = Omit<ModelConfigInput, "tieWordEmbeddings">;

/** Defines a model of a hub. All of those below use their embedding as output head. */
function hubModel(
  repo: string,
  revision: string,
  { license, gated = false }: { readonly license: string; readonly gated?: boolean },
  shape: Shape,
): HubModel {
  const config = parseModelConfig({ ...shape, tieWordEmbeddings: true });
  return { description: `${repo} (${license})`, repo, revision, gated, config };
}

const apache = { license: "Apache-2.0" } as const;
const qwenResearch = { license: "Qwen Research License" } as const;
const llama = { license: "Llama 3.2 Community License", gated: true } as const;
const gemma = { license: "Gemma Terms of Use", gated: true } as const;

const qwen25 = { architecture: "qwen2", vocabSize: 151_936, ropeTheta: 1e6, maxPositions: 32_768 } as const;
const qwen25Half = {
  ...qwen25,
  layers: 24,
  hiddenSize: 896,
  heads: 14,
  kvHeads: 2,
  headDim: 64,
  intermediateSize: 4864,
};
const qwen25OneHalf = {
  ...qwen25,
  layers: 28,
  hiddenSize: 1536,
  heads: 12,
  kvHeads: 2,
  headDim: 128,
  intermediateSize: 8960,
};
const qwen25Three = {
  ...qwen25,
  layers: 36,
  hiddenSize: 2048,
  heads: 16,
  kvHeads: 2,
  headDim: 128,
  intermediateSize: 11_008,
};
const qwen3 = {
  architecture: "qwen3",
  vocabSize: 151_936,
  kvHeads: 8,
  headDim: 128,
  ropeTheta: 1e6,
  maxPositions: 40_960,
} as const;
const smol = { architecture: "llama", vocabSize: 49_152, headDim: 64, maxPositions: 8192 } as const;
const llama32 = {
  architecture: "llama",
  vocabSize: 128_256,
  kvHeads: 8,
  intermediateSize: 8192,
  ropeTheta: 5e5,
  maxPositions: 131_072,
} as const;
const gemma3 = {
  architecture: "gemma3",
  vocabSize: 262_144,
  heads: 4,
  kvHeads: 1,
  headDim: 256,
  maxPositions: 32_768,
} as const;

/**
 * Models by short name, the one that answers best first: by size, and among equals by the order in which their makers
 * published them. Coder models come after the general ones of their size. Revisions are commits that public
 * repositories name as the ones they used; a download checks each file against the hub's listing of that commit.
 */
export const knownModels: Readonly<Record<string, KnownModel>> = {
  "qwen3-4b": hubModel("Qwen/Qwen3-4B", "1cfa9a7208912126459214e8b04321603b3df60c", apache, {
    ...qwen3,
    layers: 36,
    hiddenSize: 2560,
    heads: 32,
    intermediateSize: 9728,
  }),
  "qwen2.5-3b-instruct": hubModel(
    "Qwen/Qwen2.5-3B-Instruct",
    "aa8e72537993ba99e69dfaafa59ed015b17504d1",
    qwenResearch,
    qwen25Three,
  ),
  "llama-3.2-3b-instruct": hubModel(
    "meta-llama/Llama-3.2-3B-Instruct",
    "0cb88a4f764b7a12671c53f0838cd831a0843b95",
    llama,
    { ...llama32, layers: 28, hiddenSize: 3072, heads: 24, headDim: 128 },
  ),
  "qwen3-1.7b": hubModel("Qwen/Qwen3-1.7B", "70d244cc86ccca08cf5af4e1e306ecf908b1ad5e", apache, {
    ...qwen3,
    layers: 28,
    hiddenSize: 2048,
    heads: 16,
    intermediateSize: 6144,
  }),
  "qwen2.5-1.5b-instruct": hubModel(
    "Qwen/Qwen2.5-1.5B-Instruct",
    "989aa7980e4cf806f80c7fef2b1adb7bc71aa306",
    apache,
    qwen25OneHalf,
  ),
  "qwen2.5-coder-1.5b-instruct": hubModel(
    "Qwen/Qwen2.5-Coder-1.5B-Instruct",
    "2e1fd397ee46e1388853d2af2c993145b0f1098a",
    apache,
    qwen25OneHalf,
  ),
  "smollm2-1.7b-instruct": hubModel(
    "HuggingFaceTB/SmolLM2-1.7B-Instruct",
    "31b70e2e869a7173562077fd711b654946d38674",
    apache,
    { ...smol, layers: 24, hiddenSize: 2048, heads: 32, kvHeads: 32, intermediateSize: 8192 },
  ),
  "llama-3.2-1b-instruct": hubModel(
    "meta-llama/Llama-3.2-1B-Instruct",
    "9213176726f574b556790deb65791e0c5aa438b6",
    llama,
    { ...llama32, layers: 16, hiddenSize: 2048, heads: 32, headDim: 64 },
  ),
  "gemma-3-1b-it": hubModel("google/gemma-3-1b-it", "dcc83ea841ab6100d6b47a070329e1ba4cf78752", gemma, {
    ...gemma3,
    layers: 26,
    hiddenSize: 1152,
    intermediateSize: 6912,
  }),
  "qwen3-0.6b": hubModel("Qwen/Qwen3-0.6B", "c1899de289a04d12100db370d81485cdf75e47ca", apache, {
    ...qwen3,
    layers: 28,
    hiddenSize: 1024,
    heads: 16,
    intermediateSize: 3072,
  }),
  "qwen2.5-0.5b-instruct": hubModel(
    "Qwen/Qwen2.5-0.5B-Instruct",
    "7ae557604adf67be50417f59c2c2f167def9a775",
    apache,
    qwen25Half,
  ),
  "qwen2.5-coder-0.5b-instruct": hubModel(
    "Qwen/Qwen2.5-Coder-0.5B-Instruct",
    "ea3f2471cf1b1f0db85067f1ef93848e38e88c25",
    apache,
    qwen25Half,
  ),
  "smollm2-360m-instruct": hubModel(
    "HuggingFaceTB/SmolLM2-360M-Instruct",
    "a10cc1512eabd3dde888204e902eca88bddb4951",
    apache,
    { ...smol, layers: 32, hiddenSize: 960, heads: 15, kvHeads: 5, intermediateSize: 2560 },
  ),
  "gemma-3-270m-it": hubModel("google/gemma-3-270m-it", "ac82b4e820549b854eebf28ce6dedaf9fdfa17b3", gemma, {
    ...gemma3,
    layers: 18,
    hiddenSize: 640,
    intermediateSize: 2048,
  }),
  "smollm2-135m-instruct": smollm2,
};

export function knownModel(name: string): KnownModel | undefined {
  return Object.hasOwn(knownModels, name) ? knownModels[name] : undefined;
}

// For users: models in folders, tokenizers, sampling.
export { inspectModel, loadAnyModel, type ModelFacts } from "./any-model.js";
export { BpeTokenizer } from "./bpe-tokenizer.js";
export { trainBpe } from "./bpe-trainer.js";
export { type ModelConfig, parseModelConfig } from "./config.js";
export { ModelError } from "./error.js";
export { type AdapterFolder, loadAdapters, saveAdapters } from "./files/adapter-folder.js";
export {
  loadConfig,
  loadGenerationConfig,
  loadModel,
  loadTokenizer,
  type ModelFolder,
  type SaveOptions,
  saveModel,
} from "./files/model-folder.js";
export { FrozenReader } from "./frozen-reader.js";
export { downloadDataset } from "./hub/download-dataset.js";
export { type DownloadProgress, downloadModel } from "./hub/download-model.js";
export { knownModel } from "./hub/known-models.js";
export { cachedModelFolder, type ResolveOptions, resolveModel } from "./hub/resolve-model.js";
export { initModel, parseModelInit } from "./init-model.js";
export { type LoraConfig, loraConfigSchema, mergeLora } from "./lora.js";
export { memoryNeeds } from "./memory-needs.js";
export { ModelEmbedder } from "./model-embedder.js";
export {
  initParameters,
  type Parameters,
  parameterCount,
} from "./parameters.js";
export { createSampler, type ModelSampler, type ModelSamplerOptions } from "./sampler/model-sampler.js";
export type {
  GenerateRequest,
  RunLogprobs,
  SamplerConfigInput,
  TopLogprobs,
} from "./sampler/request.js";
export type { ChatMessage } from "./text/chat-message.js";
export { ChatTemplate } from "./text/chat-template.js";
export {
  createTextModel,
  endTokenIds,
} from "./text/local-text-model.js";
export { TextModel } from "./text/text-model.js";
export { TextStream } from "./text/text-stream.js";

// For other packages: the forward pass inside a jit body, weights by name, foreign files.

export { choosePrecision } from "./chosen-precision.js";
export { modelConfigFromHf } from "./files/hf-config.js";
export { parametersFromHf } from "./files/hf-weights.js";
export { readSafetensors, type StoredTensor } from "./files/safetensors.js";
export { forwardHidden, forwardRows, logitsOf } from "./forward.js";
export type { ForwardOptions } from "./forward-options.js";
export { initLora, loraForm, loraScale, loraShapes } from "./lora.js";
export {
  hashOfLeaves,
  hashWeights,
  parameterShapes,
  weightsLeafBytes,
} from "./parameters.js";
export { splitmix32, xoshiro128 } from "./random.js";
export { adaptedBaseShapes } from "./sampler/adapted-weights.js";
export { entropy, tokenLogprobs } from "./token-logprobs.js";
export { type TokenStatistics, tokenStatistics } from "./token-statistics.js";

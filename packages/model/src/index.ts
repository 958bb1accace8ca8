// For users: models in folders, tokenizers, sampling.
export { inspectModel, loadAnyModel, type ModelFacts, type ModelFormat } from "./any-model.js";
export { BpeTokenizer, type EncodeOptions, type TokenizerJson } from "./bpe-tokenizer.js";
export { type BpeTraining, trainBpe } from "./bpe-trainer.js";
export { type ModelConfig, type ModelConfigInput, modelConfigSchema, parseModelConfig } from "./config.js";
export { endTokenIds, endTokens } from "./end-tokens.js";
export { ModelError, type ModelErrorCode } from "./error.js";
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
export { FrozenReader, type FrozenReaderOptions } from "./frozen-reader.js";
export {
  type DatasetDownloadOptions,
  type DatasetSelection,
  downloadDataset,
} from "./hub/download-dataset.js";
export { type DownloadOptions, type DownloadProgress, downloadModel } from "./hub/download-model.js";
export { knownModel } from "./hub/known-models.js";
export { cachedModelFolder, type ResolveOptions, resolveModel } from "./hub/resolve-model.js";
export { initModel, type ModelInit, modelInitSchema, parseModelInit } from "./init-model.js";
export { readExactJson, readWrittenObject } from "./jinja/exact-json.js";
export { type LoraConfig, loraConfigSchema, mergeLora } from "./lora.js";
export { type MemoryNeeds, memoryNeeds } from "./memory-needs.js";
export { ModelEmbedder, type ModelEmbedderOptions } from "./model-embedder.js";
export {
  checkFinite,
  checkParameters,
  defaultInitScheme,
  type InitScheme,
  initParameters,
  type Parameters,
  parameterCount,
} from "./parameters.js";
export { createSampler, type ModelSampler, type ModelSamplerOptions } from "./sampler/model-sampler.js";
export {
  type FinishReason,
  type GenerateRequest,
  type GenerateResult,
  type RunLogprobs,
  type SamplerConfig,
  type SamplerConfigInput,
  samplerConfigSchema,
  type TopLogprobs,
} from "./sampler/request.js";
export type { ChatMessage, ChatOptions, ChatTool, TemplateRecord } from "./text/chat-message.js";
export { ChatTemplate } from "./text/chat-template.js";
export {
  createTextModel,
  type LoadedModel,
  type LocalTextModel,
  type LocalTextModelOptions,
} from "./text/local-text-model.js";
export {
  type GeneratedText,
  type TextGeneration,
  TextModel,
  type TextModelOptions,
  type TextRequest,
} from "./text/text-model.js";
export { TextStream } from "./text/text-stream.js";

// For other packages: the forward pass inside a jit body, weights by name, foreign files.

export { type ChosenPrecision, choosePrecision, type WantedPrecision } from "./chosen-precision.js";
export { modelConfigFromHf } from "./files/hf-config.js";
export { parametersFromHf } from "./files/hf-weights.js";
export { readSafetensors, type StoredTensor } from "./files/safetensors.js";
export { forwardHidden, forwardRows, logitsOf } from "./forward.js";
export type { ForwardOptions, ParameterTensors } from "./forward-options.js";
export { loadGguf } from "./gguf/load-gguf.js";
export type { KnownModel } from "./hub/known-model.js";
export { initLora, loraForm, loraScale, loraShapes } from "./lora.js";
export {
  hashOfLeaves,
  hashWeights,
  parameterShapes,
  weightsLeafBytes,
} from "./parameters.js";
export { adaptedBaseShapes } from "./sampler/adapted-weights.js";
export type { SamplerStats } from "./sampler/sampler-stats.js";
export { entropy, entropyOfLogits, tokenLogprobs } from "./token-logprobs.js";
export { type TokenStatistics, type TokenStatisticsOptions, tokenStatistics } from "./token-statistics.js";
export { isTokenless, withTokenlessIds } from "./tokenless-ids.js";

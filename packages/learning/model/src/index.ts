// For users: models in folders, tokenizers, sampling.

export {
  type ModelConfig,
  type ModelConfigInput,
  modelConfigSchema,
  parseModelConfig,
} from "./base/config.js";
export { ModelError, type ModelErrorCode } from "./base/error.js";
export { type LoraConfig, loraConfigSchema, mergeLora } from "./base/lora.js";
export { type MemoryNeeds, memoryNeeds } from "./base/memory-needs.js";
export {
  checkFinite,
  checkParameters,
  defaultInitScheme,
  type HeldParameters,
  type InitScheme,
  initParameters,
  type Parameters,
  parameterCount,
} from "./base/parameters.js";
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
export {
  type DatasetDownloadOptions,
  type DatasetSelection,
  downloadDataset,
} from "./hub/download-dataset.js";
export { type DownloadOptions, type DownloadProgress, downloadModel } from "./hub/download-model.js";
export { knownModel, knownModels } from "./hub/known-models.js";
export {
  cachedModelFolder,
  fetchKnownModel,
  findKnownModel,
  type ModelPlaces,
  type ResolveOptions,
  resolveModel,
} from "./hub/resolve-model.js";
export { readExactJson, readWrittenObject } from "./jinja/exact-json.js";
export { inspectModel, loadAnyModel, type ModelFacts, type ModelFormat } from "./models/any-model.js";
export { FrozenReader, type FrozenReaderOptions } from "./models/frozen-reader.js";
export { initModel, type ModelInit, modelInitSchema, parseModelInit } from "./models/init-model.js";
export { ModelEmbedder, type ModelEmbedderOptions } from "./models/model-embedder.js";
export type { KnownWeights } from "./sampler/batch/weight-changes.js";
export {
  type FinishReason,
  type GenerateRequest,
  type GenerateResult,
  type RunLogprobs,
  type SamplerConfig,
  type SamplerConfigInput,
  samplerConfigSchema,
  type TopLogprobs,
} from "./sampler/draw/request.js";
export { type EngineRequest, speculationNeed } from "./sampler/engine.js";
export { createSampler, type ModelSampler, type ModelSamplerOptions } from "./sampler/model-sampler.js";
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
export { BpeTokenizer, type EncodeOptions, type TokenizerJson } from "./tokens/bpe-tokenizer.js";
export { type BpeTraining, trainBpe } from "./tokens/bpe-trainer.js";
export { endTokenIds, endTokens } from "./tokens/end-tokens.js";

// For other packages: the forward pass inside a jit body, weights by name, foreign files.

export { type ChosenPrecision, choosePrecision, type WantedPrecision } from "./base/chosen-precision.js";
export { initLora, loraForm, loraScale, loraShapes } from "./base/lora.js";
export {
  findNotFinite,
  hashOfLeaves,
  hashWeights,
  isPublishedHalf,
  parameterShapes,
  weightsLeafBytes,
} from "./base/parameters.js";
export { modelConfigFromHf } from "./files/hf-config.js";
export { parametersFromHf } from "./files/hf-weights.js";
export { readSafetensors, type StoredTensor } from "./files/safetensors.js";
export { attendsByKernel, forwardHidden, forwardRows, logitsOf } from "./forward/forward.js";
export type { ForwardOptions, ParameterTensors } from "./forward/forward-options.js";
export { entropy, entropyOfLogits, tokenLogprobs } from "./forward/token-logprobs.js";
export {
  type TokenStatistics,
  type TokenStatisticsOptions,
  tokenStatistics,
} from "./forward/token-statistics.js";
export { loadGguf } from "./gguf/load-gguf.js";
export type { KnownModel } from "./hub/known-model.js";
export type { SamplerStats } from "./sampler/batch/sampler-stats.js";
export { adaptedBaseShapes } from "./sampler/weights/adapted-weights.js";
export { isTokenless, withTokenlessIds } from "./tokens/tokenless-ids.js";

// For users.
export { BpeTokenizer, type TokenizerJson } from "./bpe-tokenizer.js";
export { type BpeTraining, trainBpe } from "./bpe-trainer.js";
export { type ModelConfig, type ModelConfigInput, modelConfigSchema, parseModelConfig } from "./config.js";
export { ModelError, type ModelErrorCode } from "./error.js";
// For other packages.
export {
  block,
  forwardHidden,
  type LayerTensors,
  logitsOf,
  type ParameterTensors,
  rmsNorm,
  type SequenceConstants,
  sequenceConstants,
  unstackLayers,
} from "./forward.js";
export { modelConfigFromHf, modelConfigToHf } from "./hf-config.js";
export { hfTensorNames, parametersFromHf, parametersToHf } from "./hf-weights.js";
export { loadModel, loadTokenizer, type ModelFolder, saveModel } from "./model-folder.js";
export {
  checkParameters,
  defaultInitScheme,
  hashWeights,
  type InitScheme,
  initParameters,
  type Parameters,
  parameterCount,
  parameterShapes,
} from "./parameters.js";
export { uniformGenerator } from "./random.js";
export { readSafetensors, type StoredTensor, writeSafetensors } from "./safetensors.js";
export { createSampler, ModelSampler, type ModelSamplerOptions } from "./sampler/model-sampler.js";
export {
  type FinishReason,
  type GenerateRequest,
  type GenerateResult,
  type SamplerConfig,
  type SamplerConfigInput,
  samplerConfigSchema,
} from "./sampler/request.js";
export type { SamplerStats } from "./sampler/sampler-stats.js";
export { entropy, entropyOfLogits, tokenLogprobs } from "./token-logprobs.js";

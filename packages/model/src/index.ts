// For users: models in folders, tokenizers, sampling.
export { BpeTokenizer, type TokenizerJson } from "./bpe-tokenizer.js";
export { type BpeTraining, trainBpe } from "./bpe-trainer.js";
export { type ModelConfig, type ModelConfigInput, modelConfigSchema, parseModelConfig } from "./config.js";
export { ModelError, type ModelErrorCode } from "./error.js";
export { loadModel, loadTokenizer, type ModelFolder, saveModel } from "./files/model-folder.js";
export {
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
  type SamplerConfig,
  type SamplerConfigInput,
  samplerConfigSchema,
} from "./sampler/request.js";
export type { SamplerStats } from "./sampler/sampler-stats.js";

// For other packages: the forward pass inside a jit body, weights by name, foreign files.

export { modelConfigFromHf } from "./files/hf-config.js";
export { parametersFromHf } from "./files/hf-weights.js";
export { readSafetensors, type StoredTensor } from "./files/safetensors.js";
export { forwardHidden, logitsOf, type ParameterTensors } from "./forward.js";
export { forwardHiddenLooped, hiddenGradients } from "./layer-loop.js";
export { checkFinite, checkParameters, hashWeights, parameterShapes } from "./parameters.js";
export { entropy, entropyOfLogits, tokenLogprobs } from "./token-logprobs.js";

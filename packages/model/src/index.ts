// For users.
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
export { entropy, entropyOfLogits, tokenLogprobs } from "./token-logprobs.js";

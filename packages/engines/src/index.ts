// For users: models behind HTTP.
export {
  ChatEndpoint,
  type EndpointGeneration,
  type EndpointMessage,
  type EndpointRequest,
  type EndpointText,
} from "./chat-endpoint.js";
export { type EngineConfig, type EngineConfigInput, engineConfigSchema } from "./config.js";
export { EngineError, type EngineErrorCode } from "./error.js";
export type { GenerateRequest, GenerateResult } from "./generate.js";
export {
  HttpSampler,
  type HttpSamplerConfig,
  httpSamplerConfigSchema,
  type ServerKind,
  type SessionSampler,
  serverKinds,
} from "./http-sampler.js";
export type { WeightsOnDisk } from "./weight-reload.js";

// For other packages: nothing more.

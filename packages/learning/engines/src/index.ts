// For users: models behind HTTP.

export {
  ChatEndpoint,
  type EndpointGeneration,
  type EndpointMessage,
  type EndpointRequest,
  type ServedModel,
} from "./chat-endpoint.js";
export type { EndpointText } from "./chat-reply.js";
export { type EngineConfig, type EngineConfigInput, engineConfigSchema } from "./config.js";
export { EndpointEmbedder } from "./endpoint-embedder.js";
export {
  EndpointSampler,
  type EndpointSamplerConfig,
  type EndpointSamplerOptions,
  type OpenEndpoint,
  openEndpoint,
} from "./endpoint-sampler.js";
export { EndpointTokenizer, type PlainTokenizer } from "./endpoint-tokenizer.js";
export { proxiedFetch } from "./environment-proxies.js";
export { EngineError, type EngineErrorCode } from "./error.js";
export type { GenerateRequest, GenerateResult } from "./generate.js";
export {
  HttpClient,
  type PlainServer,
  type PostOptions,
  type Retry,
  type RetryClock,
} from "./http-client.js";
export {
  HttpSampler,
  type HttpSamplerConfig,
  httpSamplerConfigSchema,
  type SessionSampler,
} from "./http-sampler.js";

// For other packages: nothing more.
export { type ServerKind, serverKinds } from "./server-kind.js";
export type { WeightsOnDisk } from "./weight-reload.js";

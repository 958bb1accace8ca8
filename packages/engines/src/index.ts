// For users: models behind HTTP.
export { ChatEndpoint } from "./chat-endpoint.js";
export type { EngineConfigInput } from "./config.js";
export { EndpointEmbedder } from "./endpoint-embedder.js";
export {
  EndpointSampler,
  type EndpointSamplerConfig,
  openEndpoint,
} from "./endpoint-sampler.js";
export { EndpointTokenizer } from "./endpoint-tokenizer.js";
export { EngineError } from "./error.js";
export type { GenerateRequest } from "./generate.js";
export type { Retry } from "./http-client.js";
export { HttpSampler } from "./http-sampler.js";

// For other packages: nothing more.

export type { GenerateRequest, GenerateResult, Sampler, Tokenizer } from "./sampler.js";

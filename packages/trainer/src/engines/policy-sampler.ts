import type { GenerateRequest, GenerateResult } from "@palimpsest/agents";
import type { Parameters } from "../weights/weights.js";

/** What has been sampled since it was opened. */
export interface SampledSoFar {
  readonly sampledTokens: number;
  readonly prefillTokens: number;
  readonly secondsBusy: number;
}

/** What a rollout actor samples with: the model in its own process, or a server. */
export interface PolicySampler {
  readonly policyVersion: number;
  readonly weightsHash: string;
  readonly stats: SampledSoFar;
  generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult>;
  /** Has copied them when it resolves: the arrays are the caller's again. */
  setWeights(parameters: Parameters, policyVersion: number, weightsHash?: string): Promise<void>;
  /** Adapters over the weights that it was made with; absent where it wants them merged. */
  setAdapters?(adapters: Parameters, policyVersion: number, weightsHash?: string): Promise<void>;
  close(): Promise<void>;
}

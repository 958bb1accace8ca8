import type { GenerateRequest, GenerateResult } from "@palimpsest/agents";
import type { HeldParameters, KnownWeights } from "@palimpsest/model";
import type { Parameters } from "../weights/weights.js";

/** What has been sampled since it was opened. */
export interface SampledSoFar {
  readonly sampledTokens: number;
  readonly prefillTokens: number;
  readonly secondsBusy: number;
}

/** The sampler of a rollout actor: the model in its own process, or a server. */
export interface PolicySampler {
  readonly policyVersion: number;
  readonly weightsHash: string;
  readonly stats: SampledSoFar;
  generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult>;
  /** When this resolves, the sampler has copied the arrays, so that the caller may reuse them. */
  setWeights(
    parameters: HeldParameters,
    policyVersion: number,
    weightsHash?: string,
    known?: KnownWeights,
  ): Promise<void>;
  /**
   * Tells that these values are there for a `setWeights` of the same record, and do not change unless `forgetStaged` is called; absent: they are
   * not copied before.
   */
  stageWeights?(parameters: HeldParameters, names: Iterable<string>): void;
  forgetStaged?(): void;
  /** Sets adapters over the weights that it was created with; absent if it needs them merged. */
  setAdapters?(adapters: Parameters, policyVersion: number, weightsHash?: string): Promise<void>;
  close(): Promise<void>;
}

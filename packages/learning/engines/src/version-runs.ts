/** Which weights sampled the tokens of one reply, in order. */
export interface VersionRun {
  readonly policyVersion: number;
  readonly tokens: number;
}

/** What is known of a reply under way: how many tokens of it have come, and from which weights. */
export class VersionRuns {
  /** Tokens of the reply that have arrived. */
  received = 0;
  #runs: VersionRun[] = [];

  /** Forgets all tokens: the request begins again. */
  restart(): void {
    this.received = 0;
    this.#runs = [];
  }

  /** What has arrived and has no version yet was sampled by this one. @returns all runs, none of which is empty */
  note(policyVersion: number): readonly VersionRun[] {
    const tokens = this.received - this.#runs.reduce((sum, run) => sum + run.tokens, 0);
    if (tokens > 0) this.#runs.push({ policyVersion, tokens });
    return this.#runs;
  }
}

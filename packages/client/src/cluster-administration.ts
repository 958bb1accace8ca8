import { headService } from "@palimpsest/wire";
import { ClusterState } from "./cluster-state.js";
import type { HeadCallOptions, HeadClient } from "./head-client.js";

/** The cluster's new token, and when those of before end. */
export interface RotatedToken {
  readonly token: string;
  /** Whether the passwords of the head's own Redis were replaced too. */
  readonly redisRotated: boolean;
  readonly acceptedUntilMs: number;
}

/** What changes the cluster itself. */
export class ClusterAdministration extends ClusterState {
  readonly #head: HeadClient;

  protected constructor(head: HeadClient) {
    super(head);
    this.#head = head;
  }

  /** Ends the head in order; with all, every node and the head's own Redis too. */
  async shutdown(options: HeadCallOptions & { readonly all?: boolean } = {}): Promise<void> {
    await this.#head.call(headService.shutdown, { all: options.all ?? false }, options);
  }

  /**
   * Replaces the cluster's token while everything goes on; for holders of the cluster's own token. Tokens of before are
   * refused after graceMs.
   */
  async rotateToken(
    options: HeadCallOptions & { readonly graceMs: number; readonly stolen?: boolean },
  ): Promise<RotatedToken> {
    const { graceMs, stolen = false, ...call } = options;
    const answer = await this.#head.call(headService.rotateToken, { graceMs, stolen }, call);
    const { token, acceptedUntilMs, redisRotated } = answer;
    return { token: token ?? "", acceptedUntilMs: acceptedUntilMs ?? 0, redisRotated: redisRotated ?? false };
  }
}

/**
 * Responsibility: a standby follows the cluster's tokens on the leading head, so that it takes over with the tokens
 * that are valid then.
 * Not responsible for: which head leads (lease-wait.ts), the leader's end of the stream (token-rotation.ts), or the
 * files (head-credentials.ts).
 *
 * Invariants:
 * - STANDBY-TOKENS-1. A stream that breaks is opened again and begins with the present tokens, so that no rotation is
 *   missed.
 * - STANDBY-TOKENS-2. A head that its leader refuses stops waiting: it must not take over with a stolen token, or where
 *   it could not read the state.
 */

import { type Clock, delay } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { fromGrpcError, headService, type Network, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { rowVersion } from "./row-versions.js";

/**
 * The stream's deadline in milliseconds. The stream is then opened again, which costs nothing and brings the present
 * tokens.
 */
const streamTimeoutMs = 600_000;
const retryMs = 500;

export interface StandbyTokensDeps {
  readonly network: Network;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly adopt: (state: proto.TokenState.$Properties) => void;
  /** Called once, with the message for the user. */
  readonly onRefused: (error: PalimpsestError) => void;
}

interface Following {
  readonly peer: Peer;
  readonly stop: AbortController;
}

export class StandbyTokens {
  readonly #deps: StandbyTokensDeps;
  #following: Following | undefined;

  constructor(deps: StandbyTokensDeps) {
    this.#deps = deps;
  }

  /** Follows the head at the address (host:port) instead of the previous one; empty for none. */
  follow(address: string): void {
    if ((this.#following?.peer.address ?? "") === address) return;
    this.close();
    if (address === "") return;
    const following = { peer: this.#deps.network.connect(address), stop: new AbortController() };
    this.#following = following;
    void this.#stay(following);
  }

  close(): void {
    const following = this.#following;
    this.#following = undefined;
    following?.stop.abort();
    following?.peer.close();
  }

  async #stay(following: Following): Promise<void> {
    const { clock, logger, onRefused } = this.#deps;
    const address = following.peer.address;
    let failed = false;
    while (this.#following === following) {
      try {
        await this.#listen(following, () => {
          failed = false;
        });
      } catch (reason) {
        if (this.#following !== following) return;
        const error = fromGrpcError(reason);
        if (error.code === "UNAUTHENTICATED" || error.code === "PROTOCOL_MISMATCH") {
          this.close();
          onRefused(refusal(address, error));
          return;
        }
        // The deadline is not a failure, and of consecutive failures only the first is logged.
        if (error.code !== "GET_TIMEOUT" && !failed) {
          failed = true;
          logger.warn({ err: error, leader: address }, "the leading head sends no tokens, will retry");
        }
      }
      await delay(retryMs, undefined, clock);
    }
  }

  /** Resolves when the stream ends. @throws the stream's error, or whatever `adopt` throws */
  async #listen({ peer, stop }: Following, onState: () => void): Promise<void> {
    const over = new AbortController();
    const end = () => over.abort();
    stop.signal.addEventListener("abort", end, { once: true });
    try {
      const settings = { timeoutMs: streamTimeoutMs, signal: over.signal };
      for await (const state of peer.serverStream(headService.followToken, { rowVersion }, settings)) {
        if (stop.signal.aborted) return;
        this.#deps.adopt(state);
        onState();
      }
    } finally {
      stop.signal.removeEventListener("abort", end);
      over.abort();
    }
  }
}

function refusal(address: string, error: PalimpsestError): PalimpsestError {
  const remedy =
    error.code === "UNAUTHENTICATED" ? ". If the token was replaced, start this head with the new one" : "";
  return new PalimpsestError(
    error.code,
    `the head that leads, at ${address}, refuses this one, which therefore does not wait for the lead: ${error.rawMessage}${remedy}`,
    { cause: error },
  );
}

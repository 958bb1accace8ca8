/**
 * Responsibility: replacing the cluster's token while everything keeps running: nodes, drivers and standbys are sent
 * the new one.
 * Not responsible for: the files (head-credentials.ts), or what a node passes to its processes (node-credentials.ts).
 *
 * Invariants:
 * - ROTATION-1. No process is told to use the new token until `settleMs` after every linked node was told to accept
 *   it.
 * - ROTATION-2. A caller that opens a stream with a replaced but still valid token is sent the new one.
 * - ROTATION-3. A driver gets the token of its own role: a driver with a derived token never learns the cluster's.
 * - ROTATION-4. Rotations do not overlap: a request during a rotation joins the running one. A rotation that is
 *   overtaken by the replacement of a stolen token fails, and its own token is refused.
 * - ROTATION-5. A stolen token, and all earlier ones, are refused from the moment of the replacement. The new one is
 *   sent only to peers with a certificate: without TLS the thief may own any of the streams.
 * - ROTATION-6. A standby head is sent the accepted tokens when it connects, and each new token as soon as it is in
 *   the files.
 */

import { type Clock, delay } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { type Caller, type Credentials, PalimpsestError, roleToken } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { rotateToken, tokenState } from "./head-credentials.js";

const longestSettleMs = 2_000;
const graceLimits = { leastMs: 1_000, mostMs: 7 * 24 * 3_600_000 } as const;

export interface TokenRotationDeps {
  readonly dataDir: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Replaces the passwords of the head's own Redis; absent if Redis is not the head's own. */
  readonly rotateRedis?: () => Promise<void>;
}

interface Follower {
  readonly caller: Caller;
  readonly send: (message: proto.NewToken.$Properties) => void;
}

interface Standby {
  readonly caller: Caller;
  readonly send: (state: proto.TokenState.$Properties) => void;
}

export class TokenRotation {
  readonly #deps: TokenRotationDeps;
  readonly #followers = new Set<Follower>();
  readonly #standbys = new Set<Standby>();
  #running: Promise<proto.RotateTokenResponse.$Properties> | undefined;

  constructor(deps: TokenRotationDeps) {
    this.#deps = deps;
  }

  /** Sends each new token to a stream until the returned function is called (ROTATION-2). */
  follow(caller: Caller, send: Follower["send"]): () => void {
    const follower = { caller, send };
    this.#followers.add(follower);
    if (caller.superseded) this.#tell(follower, this.#running === undefined);
    return () => this.#followers.delete(follower);
  }

  /**
   * Sends the accepted tokens to a standby head, now and after each rotation, until the returned function is called.
   */
  followAsHead(caller: Caller, send: Standby["send"]): () => void {
    const standby = { caller, send };
    this.#standbys.add(standby);
    send(this.#state());
    return () => this.#standbys.delete(standby);
  }

  /**
   * Replaces the token.
   * @param stolen whether the old one is refused at once (ROTATION-5), without a grace period
   * @throws {PalimpsestError} PERMISSION_DENIED, INVALID_ARGUMENT
   */
  async rotate(
    caller: Caller,
    graceMs: number,
    stolen = false,
  ): Promise<proto.RotateTokenResponse.$Properties> {
    if (caller.tokenRole !== "cluster") {
      throw new PalimpsestError(
        "PERMISSION_DENIED",
        `the ${caller.tokenRole} token may not rotate the cluster's: use the one in the head's token file`,
      );
    }
    if (caller.superseded) {
      throw new PalimpsestError(
        "PERMISSION_DENIED",
        "this token was replaced and may not rotate the new one: use the one in the head's token file",
      );
    }
    if (stolen) return this.#replaceStolen();
    if (!(graceMs >= graceLimits.leastMs && graceMs <= graceLimits.mostMs)) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `grace_ms is ${graceMs}: choose from ${graceLimits.leastMs} to ${graceLimits.mostMs}`,
      );
    }
    this.#running ??= this.#rotate(graceMs).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #rotate(graceMs: number): Promise<proto.RotateTokenResponse.$Properties> {
    const { dataDir, credentials, clock, logger } = this.#deps;
    const token = rotateToken(dataDir, credentials, graceMs, clock);
    const acceptedUntilMs = clock.now() + graceMs;
    this.#tellStandbys([...this.#standbys]);
    this.#tellAll(false);
    const settleMs = Math.min(longestSettleMs, graceMs / 4);
    await delay(settleMs, undefined, clock);
    // ROTATION-5: the replacement of a stolen token must not be sent to all, and the token that was made here is
    // refused by now.
    if (credentials.token !== token) throw overtaken();
    this.#tellAll(true);
    const told = { followers: this.#followers.size, standbys: this.#standbys.size };
    logger.info({ graceMs, told }, "token rotated");
    return { token, acceptedUntilMs };
  }

  /**
   * Replaces a stolen token. This is not counted in #running, because it does not wait for other rotations, and another
   * replacement may follow at once.
   */
  async #replaceStolen(): Promise<proto.RotateTokenResponse.$Properties> {
    const { dataDir, credentials, clock, logger, rotateRedis } = this.#deps;
    const certified = ({ caller }: { readonly caller: Caller }) => caller.certificate !== undefined;
    // ROTATION-5
    const followers = [...this.#followers].filter(certified);
    const standbys = [...this.#standbys].filter(certified);
    const token = rotateToken(dataDir, credentials, 0, clock);
    this.#tellStandbys(standbys);
    for (const follower of followers) this.#tell(follower, true);
    await rotateRedis?.();
    logger.warn(
      { redis: rotateRedis !== undefined },
      "a stolen token was replaced, and is refused from now on",
    );
    return { token, acceptedUntilMs: clock.now(), redisRotated: rotateRedis !== undefined };
  }

  #tellAll(use: boolean): void {
    for (const follower of [...this.#followers]) this.#tell(follower, use);
  }

  #tellStandbys(standbys: readonly Standby[]): void {
    if (standbys.length === 0) return;
    const state = this.#state();
    for (const { send } of standbys) send(state);
  }

  #state(): proto.TokenState.$Properties {
    const { dataDir, credentials, clock } = this.#deps;
    return tokenState(dataDir, credentials, clock);
  }

  #tell({ caller, send }: Follower, use: boolean): void {
    const { credentials } = this.#deps;
    // It was admitted by its certificate alone, which no method allows for nodes and drivers.
    if (caller.tokenRole === "none") return;
    const token = roleToken(credentials.token, caller.tokenRole);
    send({ token, use, graceMs: Math.max(1, Math.round(credentials.graceLeftMs)) });
  }
}

function overtaken(): PalimpsestError {
  return new PalimpsestError(
    "UNAVAILABLE",
    "a stolen token was replaced during this rotation, and the rotation's new token with it: rotate again with the one in the head's token file",
    { retryable: true },
  );
}

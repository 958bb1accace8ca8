/**
 * Responsibility: replaces the cluster's token while everything goes on: tells the new one to nodes, drivers and standbys.
 * Not responsible for: the files (head-credentials.ts), what a node hands to its processes (node-credentials.ts).
 *
 * Invariants:
 * - ROTATION-1. Nobody is told to use the new token before every linked node was told to accept it, `settleMs` ago.
 * - ROTATION-2. Who opens a stream with a replaced token that is still accepted is told the new one.
 * - ROTATION-3. A driver gets the token of its own role: one that came with a derived token never learns the cluster's.
 * - ROTATION-4. Rotations do not overlap: one that is asked for meanwhile is the running one. One that is overtaken by the
 *   replacement of a stolen token fails: its own token is refused.
 * - ROTATION-5. A stolen token is refused from the moment in which it is replaced, and so are those of before. The new one is
 *   told to those alone whom a certificate vouches for: without TLS the thief may hold any of the streams.
 * - ROTATION-6. A standby head is told at once what holds when it comes, and each new token as soon as it is in the files.
 */
import type { Logger } from "@palimpsest/telemetry";
import {
  type Caller,
  type Clock,
  type Credentials,
  delay,
  PalimpsestError,
  roleToken,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { rotateToken, tokenState } from "./head-credentials.js";

const longestSettleMs = 2_000;
const graceLimits = { leastMs: 1_000, mostMs: 7 * 24 * 3_600_000 } as const;

export interface TokenRotationDeps {
  readonly dataDir: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Replaces the passwords of the head's own Redis; absent where Redis is somebody else's. */
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

  /** Tells a stream of each new token until the returned function is called (ROTATION-2). */
  follow(caller: Caller, send: Follower["send"]): () => void {
    const follower = { caller, send };
    this.#followers.add(follower);
    if (caller.superseded) this.#tell(follower, this.#running === undefined);
    return () => this.#followers.delete(follower);
  }

  /** Tells a standby head what is accepted, now and after each rotation, until the returned function is called. */
  followAsHead(caller: Caller, send: Standby["send"]): () => void {
    const standby = { caller, send };
    this.#standbys.add(standby);
    send(this.#state());
    return () => this.#standbys.delete(standby);
  }

  /**
   * Takes a new token.
   * @param stolen whether the old one is refused at once (ROTATION-5); there is no grace then
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
        "this token was replaced and may not rotate the new one: take the one in the head's token file",
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
    // ROTATION-5: what replaced a stolen token is not told to all, and the one that was made here is refused by now.
    if (credentials.token !== token) throw overtaken();
    this.#tellAll(true);
    const told = { followers: this.#followers.size, standbys: this.#standbys.size };
    logger.info({ graceMs, told }, "token rotated");
    return { token, acceptedUntilMs };
  }

  /** Not one of #running: it waits for no other rotation, and the next one may follow at once. */
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
    // Its certificate alone let it in, which no method grants to nodes and drivers.
    if (caller.tokenRole === "none") return;
    const token = roleToken(credentials.token, caller.tokenRole);
    send({ token, use, graceMs: Math.max(1, Math.round(credentials.graceLeftMs)) });
  }
}

function overtaken(): PalimpsestError {
  return new PalimpsestError(
    "UNAVAILABLE",
    "a stolen token was replaced while this rotation went on, and its new token with it: rotate again with the one in the head's token file",
    { retryable: true },
  );
}

/**
 * Responsibility: what a process proves itself with, and whom it believes. One object is shared by all channels and
 * servers of the process, so that a rotated token takes effect in all of them at once.
 * Not responsible for: rights of roles (access.ts), refusing calls (authorization.ts), files.
 *
 * Invariants:
 * - CREDENTIALS-1. A superseded token is accepted until its grace has passed, and never afterwards.
 * - CREDENTIALS-2. A process that holds a derived token cannot compute another role's token: it verifies others by
 *   digest.
 * - CREDENTIALS-3. Comparing a token takes the same time whichever of its characters is wrong.
 * - CREDENTIALS-4. What is sent to an actor is a token derived from the own one, which is good for calls only.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { TokenRole } from "./access.js";
import { type Clock, systemClock } from "./clock.js";
import type { TlsIdentity } from "./tls.js";

const memberRoles = ["cluster", "driver", "actor", "reader"] as const;
/** Whose tokens make callers. */
const callingRoles = ["cluster", "driver", "actor"] as const;
const tokenIdLength = 8;

/** A token that a process accepts. It knows its digest only. */
export interface AcceptedToken {
  readonly role: TokenRole;
  /** SHA-256 of the authorization header that carries it. */
  readonly digest: Uint8Array;
  /** Milliseconds until it is refused; Infinity for the current token. */
  readonly remainingMs: number;
}

/** What one process hands to another: a token to send, and digests of the tokens to accept. */
export interface Grant {
  readonly token: string;
  readonly accepted: readonly AcceptedToken[];
}

export interface TokenHolder {
  readonly role: TokenRole;
  /** The first characters of the token's digest: names a token without telling it. */
  readonly tokenId: string;
  /** True when a newer token has replaced it and only the grace keeps it alive. */
  readonly superseded: boolean;
}

interface Known {
  readonly role: TokenRole;
  readonly digest: Uint8Array;
  readonly untilMs: number;
}

function digestOf(authorization: string): Uint8Array {
  return createHash("sha256").update(authorization).digest();
}

/** The token of a role, derived from the cluster's token; the cluster's own for "cluster". */
export function roleToken(clusterToken: string, role: TokenRole): string {
  if (role === "cluster") return clusterToken;
  if (role === "caller") return callerToken(clusterToken);
  return createHmac("sha256", clusterToken).update(`palimpsest ${role}`).digest("base64url");
}

/** The token that the holder of this one, whatever its role, shows to the actors that it calls. */
export function callerToken(token: string): string {
  return createHmac("sha256", token).update("palimpsest caller").digest("base64url");
}

export class Credentials {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #tls: TlsIdentity | undefined;
  #token: string;
  #callerToken: { readonly of: string; readonly token: string } | undefined;
  #accepted: Known[];

  constructor(
    grant: Grant,
    options: { readonly tls?: TlsIdentity | undefined; readonly clock?: Clock } = {},
  ) {
    this.#tls = options.tls;
    this.#clock = options.clock ?? systemClock;
    this.#token = grant.token;
    this.#accepted = this.#known(grant.accepted);
  }

  /** Credentials of a member that knows the cluster's token: it accepts that token and all that are derived from it. */
  static ofCluster(
    token: string,
    options: { readonly tls?: TlsIdentity | undefined; readonly clock?: Clock } = {},
  ): Credentials {
    return new Credentials({ token, accepted: acceptedOf(token, Number.POSITIVE_INFINITY) }, options);
  }

  /** This process's certificate, and which ones it believes, at this moment. */
  get tls(): TlsIdentity | undefined {
    return this.#tls;
  }

  /** Takes a renewed certificate, or a longer list of revoked ones. A process is under TLS from its start, or never. */
  replaceTls(tls: TlsIdentity): void {
    if (this.#tls === undefined) return;
    this.#tls = tls;
    this.#changed();
  }

  /** The token that this process sends. */
  get token(): string {
    return this.#token;
  }

  /** The token that this process shows to actors (CREDENTIALS-4). */
  get callerToken(): string {
    if (this.#callerToken?.of !== this.#token)
      this.#callerToken = { of: this.#token, token: callerToken(this.#token) };
    return this.#callerToken.token;
  }

  /** Value of the authorization header of outgoing calls. */
  get authorization(): string {
    return `Bearer ${this.#token}`;
  }

  /** Who sends this authorization header; undefined when its token is unknown or its grace is over. */
  identify(authorization: string | undefined): TokenHolder | undefined {
    if (authorization === undefined) return undefined;
    const digest = digestOf(authorization);
    const now = this.#clock.monotonicMs();
    let found: Known | undefined;
    for (const known of this.#accepted) {
      if (timingSafeEqual(known.digest, digest) && known.untilMs > now) found ??= known;
    }
    if (!found) return undefined;
    return {
      role: found.role,
      tokenId: Buffer.from(found.digest).toString("hex").slice(0, tokenIdLength),
      superseded: found.untilMs !== Number.POSITIVE_INFINITY,
    };
  }

  /** How long tokens of before are accepted still; 0 when there are none. */
  get graceLeftMs(): number {
    const now = this.#clock.monotonicMs();
    return this.#accepted.reduce(
      (most, { untilMs }) => (Number.isFinite(untilMs) ? Math.max(most, untilMs - now) : most),
      0,
    );
  }

  /** Believes holders of a token that will replace the present one, and goes on sending that. */
  accept(token: string): void {
    if (this.identify(`Bearer ${token}`)) return;
    this.#accepted.push(...this.#known(acceptedOf(token, Number.POSITIVE_INFINITY)));
    this.#changed();
  }

  /** Takes a new token of the cluster. Tokens of before, and those derived from them, are accepted for graceMs more. */
  rotate(token: string, graceMs: number): void {
    if (token === this.#token) return;
    const now = this.#clock.monotonicMs();
    const older = this.#accepted
      .filter(({ untilMs }) => untilMs > now)
      .map((known) => ({ ...known, untilMs: Math.min(known.untilMs, now + graceMs) }));
    this.#token = token;
    this.#accepted = [...this.#known(acceptedOf(token, Number.POSITIVE_INFINITY)), ...older];
    this.#changed();
  }

  /** Accepts a token of before for graceMs more: a head that restarts within the grace. */
  acceptUntil(token: string, graceMs: number): void {
    if (graceMs > 0) this.#accepted.push(...this.#known(acceptedOf(token, graceMs)));
  }

  /** Takes what another head of the cluster accepts, in place of what there was. */
  follow(token: string, before: readonly { readonly token: string; readonly remainingMs: number }[]): void {
    const still = before.filter(({ remainingMs }) => remainingMs > 0);
    const older = still.flatMap((one) => acceptedOf(one.token, one.remainingMs));
    this.#token = token;
    this.#accepted = this.#known([...acceptedOf(token, Number.POSITIVE_INFINITY), ...older]);
    this.#changed();
  }

  /** Takes what the parent process hands down in place of what there was. */
  adopt(grant: Grant): void {
    this.#token = grant.token;
    this.#accepted = this.#known(grant.accepted);
    this.#changed();
  }

  /** What a process of a lesser role gets: its own token, and digests of everybody's. Needs the cluster's token. */
  grantFor(role: TokenRole): Grant {
    const now = this.#clock.monotonicMs();
    const accepted = this.#accepted
      .filter(({ untilMs }) => untilMs > now)
      .map(({ role: holder, digest, untilMs }) => ({ role: holder, digest, remainingMs: untilMs - now }));
    return { token: roleToken(this.#token, role), accepted };
  }

  /** Calls back after each change of the token; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #known(accepted: readonly AcceptedToken[]): Known[] {
    const now = this.#clock.monotonicMs();
    return accepted.map(({ role, digest, remainingMs }) => ({ role, digest, untilMs: now + remainingMs }));
  }
}

function acceptedOf(token: string, remainingMs: number): AcceptedToken[] {
  const accept = (role: TokenRole, accepted: string): AcceptedToken => ({
    role,
    digest: digestOf(`Bearer ${accepted}`),
    remainingMs,
  });
  return [
    ...memberRoles.map((role) => accept(role, roleToken(token, role))),
    ...callingRoles.map((role) => accept("caller", callerToken(roleToken(token, role)))),
  ];
}

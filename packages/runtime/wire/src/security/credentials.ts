/**
 * Responsibility: the credentials with which a process authenticates itself, and those that it accepts from others. One
 * object is shared by all channels and servers of the process, so that a rotated token takes effect in all of them at
 * once.
 * Not responsible for: rights of roles (access.ts), refusing calls (authorization.ts), or files.
 *
 * Invariants:
 * - CREDENTIALS-1. A superseded token is accepted until its grace period has passed, and never afterwards.
 * - CREDENTIALS-2. A process that has a derived token cannot compute another role's token: it verifies others by
 *   digest.
 * - CREDENTIALS-3. Comparing a token takes the same time whichever of its characters is wrong.
 * - CREDENTIALS-4. The token that is sent to an actor is derived from the caller's own token and allows calls only.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { type Clock, systemClock } from "@palimpsest/std";
import { PalimpsestError } from "../base/error.js";
import type { TokenRole } from "../protocol/access.js";
import type { TlsIdentity } from "./tls.js";

const memberRoles = ["cluster", "driver", "actor", "reader"] as const;
/** Roles whose tokens have a "caller" token derived from them. */
const callingRoles = ["cluster", "driver", "actor"] as const;
const tokenIdLength = 8;

/** A token that a process accepts. The process knows only its digest. */
export interface AcceptedToken {
  readonly role: TokenRole;
  /** SHA-256 of the authorization header that carries it. */
  readonly digest: Uint8Array;
  /** Milliseconds until the token is refused; Infinity for the current token. */
  readonly remainingMs: number;
}

/** What one process grants to another: a token to send, and digests of the tokens to accept. */
export interface Grant {
  readonly token: string;
  readonly accepted: readonly AcceptedToken[];
}

export interface TokenHolder {
  readonly role: TokenRole;
  /** The first characters of the token's digest, which identify the token without revealing it. */
  readonly tokenId: string;
  /** True when a newer token has replaced this one, which is accepted only during the grace period. */
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

/** Derives the token of a role from the cluster's token. For "cluster" it returns the cluster's token itself. */
export function roleToken(clusterToken: string, role: TokenRole): string {
  if (role === "cluster") return clusterToken;
  if (role === "caller") return callerToken(clusterToken);
  return createHmac("sha256", clusterToken).update(`palimpsest ${role}`).digest("base64url");
}

/** Derives the token that the owner of the given token, whatever its role, presents to the actors that it calls. */
function callerToken(token: string): string {
  return createHmac("sha256", token).update("palimpsest caller").digest("base64url");
}

/**
 * Refuses a token that no header can carry, without telling it: the transport's own error would.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
function checkedToken(token: string): string {
  const at = token.search(/[^\x20-\x7e]|^ | $/);
  if (at < 0) return token;
  const code = token.codePointAt(at)?.toString(16).toUpperCase().padStart(4, "0");
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `token: has the character U+${code} at position ${at}, which no token has; take the token from the head's token file, whose path \`palimpsest head start\` prints`,
  );
}

/** A process's token and certificate, and whom it lets in; both can change while it runs. */
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
    this.#token = checkedToken(grant.token);
    this.#accepted = this.#known(grant.accepted);
  }

  /**
   * Creates the credentials of a member that knows the cluster's token. It accepts that token and all that are derived
   * from it.
   */
  static ofCluster(
    token: string,
    options: { readonly tls?: TlsIdentity | undefined; readonly clock?: Clock } = {},
  ): Credentials {
    return new Credentials({ token, accepted: acceptedOf(token, Number.POSITIVE_INFINITY) }, options);
  }

  /** This process's current certificate and the certificates that it currently accepts. */
  get tls(): TlsIdentity | undefined {
    return this.#tls;
  }

  /**
   * Replaces the certificate by a renewed one, or by one with a longer list of revocations. A process uses TLS from its
   * start or never.
   */
  replaceTls(tls: TlsIdentity): void {
    if (this.#tls === undefined) return;
    this.#tls = tls;
    this.#changed();
  }

  /** The token that this process sends to processes of the runtime. */
  get token(): string {
    return this.#token;
  }

  /** The token that this process presents to actors (CREDENTIALS-4). */
  get callerToken(): string {
    if (this.#callerToken?.of !== this.#token)
      this.#callerToken = { of: this.#token, token: callerToken(this.#token) };
    return this.#callerToken.token;
  }

  /** The value of the authorization header of outgoing calls. */
  get authorization(): string {
    return `Bearer ${this.#token}`;
  }

  /**
   * Identifies the sender of this authorization header. Undefined when its token is unknown or its grace period is
   * over.
   */
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

  /** Milliseconds for which superseded tokens are still accepted; 0 when there are none. */
  get graceLeftMs(): number {
    const now = this.#clock.monotonicMs();
    return this.#accepted.reduce(
      (most, { untilMs }) => (Number.isFinite(untilMs) ? Math.max(most, untilMs - now) : most),
      0,
    );
  }

  /** Accepts a token that will replace the current one, and keeps sending the current one. */
  accept(token: string): void {
    if (this.identify(`Bearer ${token}`)) return;
    this.#accepted.push(...this.#known(acceptedOf(token, Number.POSITIVE_INFINITY)));
    this.#changed();
  }

  /**
   * Replaces the cluster's token. The previous tokens, and those derived from them, are accepted for another graceMs
   * milliseconds.
   */
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

  /**
   * Accepts a superseded token for another graceMs milliseconds. A head that restarts within the grace period uses it.
   */
  acceptUntil(token: string, graceMs: number): void {
    if (graceMs > 0) this.#accepted.push(...this.#known(acceptedOf(token, graceMs)));
  }

  /** Replaces the accepted tokens by those that another head of the cluster accepts. */
  follow(token: string, before: readonly { readonly token: string; readonly remainingMs: number }[]): void {
    const still = before.filter(({ remainingMs }) => remainingMs > 0);
    const older = still.flatMap((one) => acceptedOf(one.token, one.remainingMs));
    this.#token = token;
    this.#accepted = this.#known([...acceptedOf(token, Number.POSITIVE_INFINITY), ...older]);
    this.#changed();
  }

  /** Replaces the credentials by those that the parent process grants. */
  adopt(grant: Grant): void {
    this.#token = grant.token;
    this.#accepted = this.#known(grant.accepted);
    this.#changed();
  }

  /**
   * Creates the grant for a process of a lesser role: its own token, and the digests of all roles' tokens. Requires the
   * cluster's token.
   */
  grantFor(role: TokenRole): Grant {
    return { ...this.grant, token: roleToken(this.#token, role) };
  }

  /** The grant for a thread of this process: its own token, and what it accepts. */
  get grant(): Grant {
    const now = this.#clock.monotonicMs();
    const accepted = this.#accepted
      .filter(({ untilMs }) => untilMs > now)
      .map(({ role, digest, untilMs }) => ({ role, digest, remainingMs: untilMs - now }));
    return { token: this.#token, accepted };
  }

  /** Calls back after each change of the token. The returned function removes the listener. */
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

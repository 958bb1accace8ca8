/**
 * Responsibility: keeps the sign-ins of browsers. A browser stores a random number in a cookie that no script can read.
 * The token itself stays here and is checked with every request, so that a revoked token ends its sign-ins.
 * Not responsible for: what a token may do.
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "@palimpsest/wire";

const maxSignIns = 1_000;
const lastingMs = 12 * 3_600_000;

interface SignIn {
  readonly authorization: string;
  readonly untilMs: number;
}

export class SignIns {
  readonly #clock: Clock;
  readonly #known = new Map<string, SignIn>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns the value of the cookie */
  begin(authorization: string): string {
    const id = randomBytes(32).toString("base64url");
    this.#known.set(id, { authorization, untilMs: this.#clock.monotonicMs() + lastingMs });
    // The oldest sign-in is dropped. Signing in needs a valid token, so nobody else can force sign-ins out.
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= maxSignIns) break;
      this.#known.delete(oldest);
    }
    return id;
  }

  end(id: string): void {
    this.#known.delete(id);
  }

  /** Returns the authorization header of a sign-in; undefined when it has ended. */
  authorizationOf(id: string): string | undefined {
    const found = this.#known.get(id);
    if (found === undefined) return undefined;
    if (found.untilMs > this.#clock.monotonicMs()) return found.authorization;
    this.#known.delete(id);
    return undefined;
  }
}

/** Returns a cookie's value from the header of a request. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * Responsibility: who has signed in with a browser. A browser keeps a random number in a cookie that no script reads; the
 * token itself stays here and is looked at again with every request, so that a token that is refused ends its sign-ins.
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

  /** @returns what the cookie holds */
  begin(authorization: string): string {
    const id = randomBytes(32).toString("base64url");
    this.#known.set(id, { authorization, untilMs: this.#clock.monotonicMs() + lastingMs });
    // The oldest one goes: sign-ins are asked for with a valid token, so nobody else can push them out.
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= maxSignIns) break;
      this.#known.delete(oldest);
    }
    return id;
  }

  end(id: string): void {
    this.#known.delete(id);
  }

  /** The authorization header that it stands for; undefined when it has ended. */
  authorizationOf(id: string): string | undefined {
    const found = this.#known.get(id);
    if (found === undefined) return undefined;
    if (found.untilMs > this.#clock.monotonicMs()) return found.authorization;
    this.#known.delete(id);
    return undefined;
  }
}

/** A cookie's value in the header of a request. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

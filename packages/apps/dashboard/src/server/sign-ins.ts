/**
 * Responsibility: the sign-ins of browsers. A browser keeps its token sealed in a cookie that no script can read and that
 * only a server with the same secret can open, so that a restart of the head ends no sign-in. The token is checked with
 * every request, so that a revoked token ends its sign-ins.
 * Not responsible for: what a token may do.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Clock } from "@palimpsest/std";

const lastingMs = 12 * 3_600_000;
/** Sign-ins that have ended before their time. Ending one needs the sign-in itself. */
const maxEnded = 10_000;
/** Secrets of before a rotation, whose sign-ins last as long as the tokens in them are accepted. */
const maxSecrets = 4;
const nonceBytes = 12;
const tagBytes = 16;
const cipherName = "aes-256-gcm";

export class SignIns {
  readonly #clock: Pick<Clock, "now">;
  readonly #secret: () => string;
  /** Keys by the secret that they are derived from, the newest last. */
  readonly #keys = new Map<string, Buffer>();
  readonly #ended = new Set<string>();

  /** @param secret the cluster's token, from which the key of the cookies is derived */
  constructor(clock: Pick<Clock, "now">, secret: () => string) {
    this.#clock = clock;
    this.#secret = secret;
  }

  /** @returns the value of the cookie */
  begin(authorization: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(cipherName, this.#key(), nonce);
    const text = `${this.#clock.now() + lastingMs} ${authorization}`;
    const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString("base64url");
  }

  end(id: string): void {
    if (this.authorizationOf(id) === undefined) return;
    this.#ended.add(id);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= maxEnded) break;
      this.#ended.delete(oldest);
    }
  }

  /** Returns the authorization header of a sign-in; undefined when it has ended, or was begun with another secret. */
  authorizationOf(id: string): string | undefined {
    if (this.#ended.has(id)) return undefined;
    this.#key();
    for (const key of [...this.#keys.values()].reverse()) {
      const [until, ...authorization] = opened(key, id)?.split(" ") ?? [];
      if (until !== undefined) return Number(until) > this.#clock.now() ? authorization.join(" ") : undefined;
    }
    return undefined;
  }

  #key(): Buffer {
    const secret = this.#secret();
    const known = this.#keys.get(secret);
    if (known !== undefined) return known;
    const key = Buffer.from(hkdfSync("sha256", secret, "", "palimpsest dashboard sign-in", 32));
    this.#keys.set(secret, key);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= maxSecrets) break;
      this.#keys.delete(oldest);
    }
    return key;
  }
}

/** Opens a cookie; undefined when it was sealed with another key, or changed. */
function opened(key: Buffer, id: string): string | undefined {
  const sealed = Buffer.from(id, "base64url");
  // One text has several base64 forms. Only the one that was sent counts, because ended sign-ins are known by it.
  if (sealed.byteLength <= nonceBytes + tagBytes || sealed.toString("base64url") !== id) return undefined;
  try {
    const decipher = createDecipheriv(cipherName, key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(sealed.subarray(sealed.byteLength - tagBytes));
    const text = decipher.update(sealed.subarray(nonceBytes, sealed.byteLength - tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
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

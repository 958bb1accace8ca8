/**
 * Responsibility: limits how many wrong tokens may be tried per second, from one address and from all of them.
 * Not responsible for: which tokens are wrong.
 *
 * Invariants:
 * - GUESSES-1. A client that guesses is refused without checking the token, and others can sign in meanwhile.
 * - GUESSES-2. The state is bounded: only the wrong tokens of the last second are kept, at most `ofAll` of them.
 */
import { isIPv6 } from "node:net";
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";

/** Maximum wrong tokens per second. Random tokens of 16 characters would be safe with a thousand times as many. */
export const guessLimits = { ofAddress: 20, ofAll: 1_000 } as const;

export class Guesses {
  readonly #clock: Clock;
  readonly #byAddress = new Map<string, number>();
  #second = 0;
  #all = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call it before a token is checked. @throws {PalimpsestError} UNAVAILABLE */
  check(address: string): void {
    this.#forget();
    const own = this.#byAddress.get(networkOf(address)) ?? 0;
    if (own < guessLimits.ofAddress && this.#all < guessLimits.ofAll) return;
    throw new PalimpsestError("UNAVAILABLE", "too many wrong tokens: wait one second and sign in again", {
      retryable: true,
    });
  }

  /** Records that a token was wrong. */
  wrong(address: string): void {
    this.#forget();
    const network = networkOf(address);
    this.#byAddress.set(network, (this.#byAddress.get(network) ?? 0) + 1);
    this.#all += 1;
  }

  /** Clears the counts when another second has begun. */
  #forget(): void {
    const second = Math.floor(this.#clock.monotonicMs() / 1_000);
    if (second === this.#second) return;
    this.#second = second;
    this.#byAddress.clear();
    this.#all = 0;
  }
}

/** Returns the first 64 bits of an IPv6 address, because the owner of one address of such a network has all of them. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/, "").replace(/%.*$/, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

import { type Clock, systemClock } from "@palimpsest/std";

export interface RateLimitOptions {
  /** Calls per second that one connection may make on average. */
  readonly perSecond: number;
  /** Calls that a connection may make at once after a pause. */
  readonly burst: number;
  /** Number of connections that are remembered. The one that called longest ago is forgotten first. */
  readonly maxConnections: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** A token bucket for each connection of a server. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateLimitOptions, clock: Clock = systemClock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Takes one call from the connection's budget. Returns false when none is left. */
  take(connection: string): boolean {
    const { perSecond, burst, maxConnections } = this.#options;
    const now = this.#clock.monotonicMs();
    const bucket = this.#buckets.get(connection) ?? { tokens: burst, atMs: now };
    // The entry is inserted again at the end, so that the map stays in order of the last call.
    this.#buckets.delete(connection);
    this.#buckets.set(connection, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.atMs) / 1_000) * perSecond);
    bucket.atMs = now;
    if (this.#buckets.size > maxConnections) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

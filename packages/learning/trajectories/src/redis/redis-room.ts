/**
 * Responsibility: makes writers of payloads and jobs wait while Redis has no room for them.
 * Not responsible for: writes that must proceed when Redis is full: ends of episodes and groups, and the head's tables.
 *
 * Invariants:
 * - ROOM-1. No payload is written while Redis uses more than `payloadShare` of its maxmemory, so that the rest stays
 *   available for small writes: BullMQ's moves, the ledger and the head's rows.
 * - ROOM-2. A write that Redis refuses because it is full is retried, and never counts as done.
 */

import { type Clock, delay, systemClock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";

export interface Room {
  /**
   * Runs the write once there is room for it.
   * @throws {PalimpsestError} LIMIT_EXCEEDED when there was none for `timeoutMs`; CANCELLED
   */
  write<T>(work: () => Promise<T>, options: RoomOptions): Promise<T>;
}

export interface RoomOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface RedisRoomOptions {
  readonly redis: Redis;
  readonly logger: Logger;
  readonly clock?: Clock;
}

/**
 * The rest stays available for small writes. The payloads of a step are written within seconds, so checking every 200
 * ms is enough.
 */
const payloadShare = 0.85;
const lookMs = 200;
const retryMs = 100;

export class RedisRoom implements Room {
  readonly #redis: Redis;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #look: { readonly atMs: number; readonly full: Promise<boolean> } | undefined;
  #full = false;

  constructor({ redis, logger, clock = systemClock }: RedisRoomOptions) {
    this.#redis = redis;
    this.#logger = logger;
    this.#clock = clock;
  }

  async write<T>(work: () => Promise<T>, { timeoutMs, signal }: RoomOptions): Promise<T> {
    const deadlineMs = this.#clock.monotonicMs() + timeoutMs;
    for (;;) {
      if (!(await this.#isFull())) {
        try {
          return await work();
        } catch (error) {
          if (!isOutOfMemory(error)) {
            throw error;
          }
        }
      }
      if (signal?.aborted) {
        throw new PalimpsestError("CANCELLED", "the wait for space in Redis was canceled", {
          cause: signal.reason,
        });
      }
      if (this.#clock.monotonicMs() >= deadlineMs) {
        throw new PalimpsestError(
          "LIMIT_EXCEEDED",
          `Redis has been above ${payloadShare * 100} % of its maxmemory for ${timeoutMs} ms; raise maxmemory, or lower groupsPerStep or queues.maxQueuedBytes`,
          { retryable: true },
        );
      }
      await delay(retryMs, signal, this.#clock);
    }
  }

  async #isFull(): Promise<boolean> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#look === undefined || nowMs - this.#look.atMs > lookMs) {
      this.#look = { atMs: nowMs, full: this.#readMemory() };
    }
    return await this.#look.full;
  }

  async #readMemory(): Promise<boolean> {
    const info = await this.#redis.info("memory");
    const used = memoryField(info, "used_memory");
    const limit = memoryField(info, "maxmemory");
    const full = limit > 0 && used > payloadShare * limit;
    if (full !== this.#full) {
      this.#full = full;
      this.#logger.warn(
        { usedBytes: used, maxBytes: limit },
        full ? "Redis is nearly full; payloads wait" : "Redis has space again",
      );
    }
    return full;
  }
}

function memoryField(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1] ?? 0);
}

/**
 * Returns whether the error is Redis's refusal of a command that would need memory above maxmemory, directly or from
 * within a script.
 */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /\bOOM command not allowed/.test(error.message);
}

/**
 * Responsibility: tells every process of a run which weights are current: the last announcement is stored, and new ones
 * are pushed.
 * Not responsible for: the weights themselves, or reading the manifest.
 *
 * Invariants:
 * - WEIGHTS-1. A listener gets the current announcement when it starts and after each lost connection, so it never
 *   stays behind.
 * - WEIGHTS-2. A listener does not get the same announcement twice in a row.
 */
import type { Logger } from "@palimpsest/telemetry";
import type { Redis } from "ioredis";
import type { RunKeys } from "../base/run-keys.js";
import { subscribe } from "../redis/subscribe.js";
import { transaction } from "../redis/transaction.js";

/** Is called with the manifest of each new version of the weights, as protobuf. */
export type WeightsListener = (manifest: Uint8Array) => void;

/** A subscription to announcements of weights. */
export interface WeightsSubscription {
  close(): Promise<void>;
}

export class WeightAnnouncements {
  readonly #redis: Redis;
  readonly #key: string;
  /** The channel of what is foretold. */
  readonly #coming: string;
  readonly #logger: Logger;

  constructor(redis: Redis, keys: RunKeys, logger: Logger) {
    this.#redis = redis;
    this.#key = keys.weights;
    this.#coming = `${keys.weights}:coming`;
    this.#logger = logger;
  }

  /** Makes these weights the current ones. */
  async announce(manifest: Uint8Array): Promise<void> {
    const bytes = Buffer.from(manifest);
    await transaction(() => this.#redis.multi().set(this.#key, bytes).publish(this.#key, bytes));
  }

  /** Says what is stored of weights that will be announced. Whoever does not hear it misses nothing. */
  async foretell(manifest: Uint8Array): Promise<void> {
    await this.#redis.publish(this.#coming, Buffer.from(manifest));
  }

  async current(): Promise<Uint8Array | undefined> {
    return (await this.#redis.getBuffer(this.#key)) ?? undefined;
  }

  /** Calls the listener with what is foretold from now on. */
  async listenAhead(listener: WeightsListener): Promise<WeightsSubscription> {
    return await subscribe(this.#redis, this.#coming, this.#logger, {
      onMessage: listener,
      onReady: () => undefined,
    });
  }

  /**
   * Calls the listener with the current announcement, if there is one, and with each later one. When a listener throws,
   * that is logged, and it is called again for the next.
   */
  async listen(listener: WeightsListener): Promise<WeightsSubscription> {
    let last: Buffer | undefined;
    const tell = (bytes: Buffer): void => {
      if (last?.equals(bytes)) {
        return;
      }
      last = bytes;
      try {
        listener(bytes);
      } catch (error) {
        this.#logger.error({ err: error }, "a listener for announced weights failed");
      }
    };
    const catchUp = async (): Promise<void> => {
      const bytes = await this.#redis.getBuffer(this.#key);
      if (bytes !== null) {
        tell(bytes);
      }
    };
    const subscription = await subscribe(this.#redis, this.#key, this.#logger, {
      onMessage: tell,
      // Announcements made in the meantime are read once the subscription is active again.
      onReady: () => {
        catchUp().catch((error) =>
          this.#logger.warn({ err: error }, "the current weights could not be read"),
        );
      },
    });
    await catchUp();
    return subscription;
  }
}

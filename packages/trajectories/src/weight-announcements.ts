/** Job: tells every process of a run which weights are current: the last announcement stays, news arrive by push.
 *  Not its job: the weights themselves; reading the manifest.
 *
 *  W1. A listener gets the current announcement when it starts and after each lost connection, so it never stays behind.
 *  W2. A listener does not get the same announcement twice in a row. */
import type { Logger } from "@palimpsest/telemetry";
import type { Redis } from "ioredis";
import type { RunKeys } from "./run-keys.js";

export type WeightsListener = (manifest: Uint8Array) => void;

export interface WeightsSubscription {
  close(): Promise<void>;
}

export class WeightAnnouncements {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #logger: Logger;

  constructor(redis: Redis, keys: RunKeys, logger: Logger) {
    this.#redis = redis;
    this.#key = keys.weights;
    this.#logger = logger;
  }

  /** Makes these weights the current ones. */
  async announce(manifest: Uint8Array): Promise<void> {
    const bytes = Buffer.from(manifest);
    await this.#redis.multi().set(this.#key, bytes).publish(this.#key, bytes).exec();
  }

  async current(): Promise<Uint8Array | undefined> {
    return (await this.#redis.getBuffer(this.#key)) ?? undefined;
  }

  /** Calls the listener with the current announcement, if there is one, and with each later one.
   *  A listener that throws is logged and called again for the next. */
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
        this.#logger.error({ err: error }, "listener for weights failed");
      }
    };
    const catchUp = async (): Promise<void> => {
      const bytes = await this.#redis.getBuffer(this.#key);
      if (bytes !== null) {
        tell(bytes);
      }
    };
    const subscriber = this.#redis.duplicate({ lazyConnect: true });
    subscriber.on("error", (error) => this.#logger.warn({ err: error }, "redis connection error"));
    subscriber.on("messageBuffer", (_channel: Buffer, bytes: Buffer) => tell(bytes));
    await subscriber.connect();
    await subscriber.subscribe(this.#key);
    await catchUp();
    // After a lost connection: first listen again, then read what was announced in between.
    subscriber.on("ready", () => {
      subscriber
        .subscribe(this.#key)
        .then(catchUp)
        .catch((error) => this.#logger.warn({ err: error }, "cannot read the current weights"));
    });
    return {
      close: async () => {
        subscriber.disconnect();
      },
    };
  }
}

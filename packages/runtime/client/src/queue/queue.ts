/**
 * Responsibility: the program's side of a queue of items that programs share, like Ray's `ray.util.queue.Queue`.
 * Not responsible for: the queue itself, which is an actor (queue-actor.ts).
 */
import { PalimpsestError } from "@palimpsest/wire";
import type { ActorHandle } from "../actors/actor-handle.js";
import type { ActorOptions } from "../base/config.js";
import { checkFields, rules, waitRules } from "../base/fields.js";
import type { QueueActor, QueueBounds } from "./queue-actor.js";

const defaultMaxBytes = 256 * 1024 * 1024;
/** The maximum number of requests that wait at once, for items and for room. */
const maxWaiting = 10_000;
/** The milliseconds that the actor gets to answer, in addition to the wait that the caller requests. */
const slackMs = 30_000;
/** The longest delay of a timer in milliseconds. A request without a timeout waits this long. */
const longestWaitMs = 2 ** 31 - 1;

/** The plain form of a queue, for arguments, results and stored values. `Queue.of` creates a queue from it. */
export type QueueHandle<Item> = ActorHandle<QueueActor<Item>>;

/** Options of `cluster.queue`: its bounds, and placement and name of the actor that keeps the items. */
export interface QueueOptions
  extends Pick<
    ActorOptions,
    "name" | "namespace" | "detached" | "resources" | "labels" | "strategy" | "placement" | "process"
  > {
  /** Maximum number of items. Default: as many as fit into `maxBytes`. */
  readonly maxSize?: number;
  /** Approximate maximum size of its items in bytes. Default: 256 MiB. */
  readonly maxBytes?: number;
}

/** How long a request to a queue waits for room or for items. */
export interface QueueWait {
  /** The milliseconds for which a request waits; with 0 it does not wait. Default: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Passes items between programs in the order in which they were put. It is an actor: its creator owns it, and its
 * items end with it. Items may contain references and handles.
 */
export class Queue<Item> {
  /** The plain form of the queue, for other programs. */
  readonly handle: QueueHandle<Item>;

  private constructor(handle: QueueHandle<Item>) {
    this.handle = handle;
  }

  static of<Item>(handle: QueueHandle<Item>): Queue<Item> {
    return new Queue(handle);
  }

  /**
   * Puts an item, and waits while the queue is full.
   * @throws {PalimpsestError} QUEUE_FULL at the timeout; LIMIT_EXCEEDED, CANCELLED
   */
  put(item: Item, wait: QueueWait = {}): Promise<void> {
    return this.putAll([item], wait);
  }

  /** @throws {PalimpsestError} QUEUE_FULL */
  putNow(item: Item): Promise<void> {
    return this.putAll([item], { timeoutMs: 0 });
  }

  /**
   * Puts items together, and waits until there is room for all of them.
   * @throws {PalimpsestError} QUEUE_FULL, LIMIT_EXCEEDED, CANCELLED
   */
  async putAll(items: readonly Item[], wait: QueueWait = {}): Promise<void> {
    await this.#waiting(wait, (handle, waitMs, signal) => handle.put(items, waitMs, signal));
  }

  /**
   * Takes the next item, and waits while the queue is empty.
   * @throws {PalimpsestError} QUEUE_EMPTY at the timeout; CANCELLED
   */
  async get(wait: QueueWait = {}): Promise<Item> {
    const [item] = await this.getAll(1, wait);
    return item as Item;
  }

  /** @throws {PalimpsestError} QUEUE_EMPTY */
  getNow(): Promise<Item> {
    return this.get({ timeoutMs: 0 });
  }

  /**
   * Takes this many items together, and waits until they are there.
   * @throws {PalimpsestError} QUEUE_EMPTY, INVALID_ARGUMENT, CANCELLED
   */
  async getAll(count: number, wait: QueueWait = {}): Promise<Item[]> {
    if (!Number.isSafeInteger(count) || count < 1)
      throw new PalimpsestError("INVALID_ARGUMENT", `count is ${count}: give a whole number of at least 1`);
    return await this.#waiting(wait, (handle, waitMs, signal) => handle.get(count, waitMs, signal));
  }

  size(): Promise<number> {
    return this.handle.size();
  }

  async isEmpty(): Promise<boolean> {
    return (await this.size()) === 0;
  }

  /** Returns whether one more item would have to wait. */
  isFull(): Promise<boolean> {
    return this.handle.isFull();
  }

  /** Ends the queue with its items; waiting requests fail with ACTOR_DIED. */
  close(): Promise<void> {
    return this.handle.kill();
  }

  async #waiting<Value>(
    wait: QueueWait,
    call: (handle: QueueHandle<Item>, waitMs: number, signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    checkFields(wait, waitRules, "options of a queue's request");
    const { timeoutMs = Number.POSITIVE_INFINITY, signal } = wait;
    const waitMs = Math.min(timeoutMs, longestWaitMs);
    const handle = this.handle.with({ timeoutMs: timeoutMs + slackMs });
    try {
      // A signal is passed even if the caller gave none, because it aborts when this program has ended (QUEUE-4).
      return await call(handle, waitMs, signal ?? new AbortController().signal);
    } catch (reason) {
      throw ownError(reason);
    }
  }
}

/** Returns the queue's own error, which is the cause of the call's failure. */
function ownError(reason: unknown): unknown {
  if (!(reason instanceof PalimpsestError) || reason.code !== "ACTOR_ERROR") return reason;
  return reason.cause instanceof PalimpsestError ? reason.cause : reason;
}

/** The module from which nodes load the actor. */
export const queueSource = { module: "@palimpsest/client/queue-actor", exportName: "QueueActor" } as const;

/** The options that an actor has too are checked as its own. */
const queueRules = {
  ...{ name: rules.anything, namespace: rules.anything, detached: rules.anything, resources: rules.anything },
  ...{ labels: rules.anything, strategy: rules.anything, placement: rules.anything, process: rules.anything },
  ...{ maxSize: rules.anything, maxBytes: rules.anything },
} as const satisfies Readonly<Record<keyof QueueOptions, unknown>>;

/** Returns the options of the actor, and its bounds. @throws {PalimpsestError} INVALID_ARGUMENT */
export function queueActorOptions(given: QueueOptions): {
  readonly bounds: QueueBounds;
  readonly options: ActorOptions;
} {
  checkFields(given, queueRules, "options of a queue");
  const { maxSize = 0, maxBytes = defaultMaxBytes, ...options } = given;
  for (const [name, value] of Object.entries({ maxSize, maxBytes }))
    if (!Number.isSafeInteger(value) || value < 0)
      throw new PalimpsestError("INVALID_ARGUMENT", `${name} is ${value}: give a whole number of 0 or more`);
  return {
    bounds: { maxSize, maxBytes },
    options: {
      ...options,
      role: "queue",
      // Requests that wait for items do not block requests that put some, and vice versa.
      concurrencyGroups: { get: maxWaiting, put: maxWaiting },
      methodGroups: { get: "get", put: "put" },
    },
  };
}

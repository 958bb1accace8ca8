/**
 * Responsibility: a queue of items that programs share, as Ray's `ray.util.queue.Queue`: the program's side of it.
 * Not responsible for: the queue itself, which is an actor (queue-actor.ts).
 */
import { PalimpsestError } from "@palimpsest/wire";
import type { ActorHandle } from "./actor-handle.js";
import type { ActorOptions } from "./config.js";
import type { QueueActor, QueueBounds } from "./queue-actor.js";

const defaultMaxBytes = 256 * 1024 * 1024;
/** Those that wait at once, for items and for room. */
const maxWaiting = 10_000;
/** Over the wait itself that an answer gets. */
const slackMs = 30_000;
/** Timers count no further: who waits without limit asks for this. */
const longestWaitMs = 2 ** 31 - 1;

/** A queue as it travels: in arguments, results and values that are put. `Queue.of` makes a queue of it. */
export type QueueHandle<Item> = ActorHandle<QueueActor<Item>>;

export interface QueueOptions
  extends Pick<
    ActorOptions,
    "name" | "namespace" | "detached" | "resources" | "labels" | "strategy" | "placement" | "process"
  > {
  /** Items that it holds at most. Default: as many as fit into `maxBytes`. */
  readonly maxSize?: number;
  /** Bytes of its items, roughly. Default: 256 MiB. */
  readonly maxBytes?: number;
}

export interface QueueWait {
  /** How long it waits; 0: not at all. Default: without limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Items in the order in which they were put, between programs. It is an actor: who made it owns it, and with it go its
 * items. Items may hold references and handles.
 */
export class Queue<Item> {
  /** The queue as a value, for other programs. */
  readonly handle: QueueHandle<Item>;

  private constructor(handle: QueueHandle<Item>) {
    this.handle = handle;
  }

  static of<Item>(handle: QueueHandle<Item>): Queue<Item> {
    return new Queue(handle);
  }

  /** Waits while it is full. @throws {PalimpsestError} QUEUE_FULL when the time is over; LIMIT_EXCEEDED, CANCELLED */
  put(item: Item, wait: QueueWait = {}): Promise<void> {
    return this.putAll([item], wait);
  }

  /** @throws {PalimpsestError} QUEUE_FULL */
  putNow(item: Item): Promise<void> {
    return this.putAll([item], { timeoutMs: 0 });
  }

  /** Puts items together: waits until there is room for all. @throws {PalimpsestError} QUEUE_FULL, LIMIT_EXCEEDED, CANCELLED */
  async putAll(items: readonly Item[], wait: QueueWait = {}): Promise<void> {
    await this.#waiting(wait, (handle, waitMs, signal) => handle.put(items, waitMs, signal));
  }

  /** Waits while it is empty. @throws {PalimpsestError} QUEUE_EMPTY when the time is over; CANCELLED */
  async get(wait: QueueWait = {}): Promise<Item> {
    const [item] = await this.getAll(1, wait);
    return item as Item;
  }

  /** @throws {PalimpsestError} QUEUE_EMPTY */
  getNow(): Promise<Item> {
    return this.get({ timeoutMs: 0 });
  }

  /** Takes so many items together: waits until they are there. @throws {PalimpsestError} QUEUE_EMPTY, INVALID_ARGUMENT, CANCELLED */
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

  /** Whether one more item would have to wait. */
  isFull(): Promise<boolean> {
    return this.handle.isFull();
  }

  /** Ends it with its items; who waits fails with ACTOR_DIED. */
  close(): Promise<void> {
    return this.handle.kill();
  }

  async #waiting<Value>(
    { timeoutMs = Number.POSITIVE_INFINITY, signal }: QueueWait,
    call: (handle: QueueHandle<Item>, waitMs: number, signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    if (Number.isNaN(timeoutMs) || timeoutMs < 0)
      throw new PalimpsestError("INVALID_ARGUMENT", `timeoutMs is ${timeoutMs}: give 0 or more`);
    const waitMs = Math.min(timeoutMs, longestWaitMs);
    const handle = this.handle.with({ timeoutMs: timeoutMs + slackMs });
    try {
      // Without a signal of its own, too: it aborts when this program has gone (QUEUE-4).
      return await call(handle, waitMs, signal ?? new AbortController().signal);
    } catch (reason) {
      throw ownError(reason);
    }
  }
}

/** What the queue itself has to say, which is the cause of what the call failed with. */
function ownError(reason: unknown): unknown {
  if (!(reason instanceof PalimpsestError) || reason.code !== "ACTOR_ERROR") return reason;
  return reason.cause instanceof PalimpsestError ? reason.cause : reason;
}

/** Where nodes find the actor. */
export const queueSource = { module: "@palimpsest/client/queue-actor", exportName: "QueueActor" } as const;

/** The options of its actor, and its bounds. @throws {PalimpsestError} INVALID_ARGUMENT */
export function queueActorOptions({ maxSize = 0, maxBytes = defaultMaxBytes, ...options }: QueueOptions): {
  readonly bounds: QueueBounds;
  readonly options: ActorOptions;
} {
  for (const [name, value] of Object.entries({ maxSize, maxBytes }))
    if (!Number.isSafeInteger(value) || value < 0)
      throw new PalimpsestError("INVALID_ARGUMENT", `${name} is ${value}: give a whole number of 0 or more`);
  return {
    bounds: { maxSize, maxBytes },
    options: {
      ...options,
      role: "queue",
      // Those that wait for items keep nobody from putting some, and the other way round.
      concurrencyGroups: { get: maxWaiting, put: maxWaiting },
      methodGroups: { get: "get", put: "put" },
    },
  };
}

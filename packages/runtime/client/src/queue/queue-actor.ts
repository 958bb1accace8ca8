/**
 * The actor of a queue: its items in order, and the requests that wait for items or for room.
 *
 * Responsibility: order, bounds and waiting.
 * Not responsible for: the program's side (queue.ts).
 *
 * Invariants:
 * - QUEUE-1. Items leave in the order in which they were put, and each leaves once.
 * - QUEUE-2. Requests for items are served in their order, and so are requests for room: no request overtakes one
 *   that waits.
 * - QUEUE-3. The queue never has more than `maxSize` items or `maxBytes` bytes.
 * - QUEUE-4. A request that was given up, or whose program has ended, takes no item and puts none.
 */
import { PalimpsestError } from "@palimpsest/wire";

export interface QueueBounds {
  /** 0 for no limit. */
  readonly maxSize: number;
  readonly maxBytes: number;
}

interface Entry<Item> {
  readonly item: Item;
  readonly bytes: number;
}

interface Waiting {
  /** Carries out the request if it can be served now. Returns whether it was. */
  serve(): boolean;
}

export class QueueActor<Item> {
  readonly #bounds: QueueBounds;
  #entries: Entry<Item>[] = [];
  #bytes = 0;
  readonly #getters = new Set<Waiting>();
  readonly #putters = new Set<Waiting>();

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** Puts the items together: all of them or none. @throws {PalimpsestError} QUEUE_FULL, LIMIT_EXCEEDED, CANCELLED */
  async put(items: readonly Item[], waitMs: number, signal: AbortSignal): Promise<void> {
    const entries = items.map((item) => ({ item, bytes: roughBytes(item) }));
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    this.#checkFit(entries.length, bytes);
    const serve = () => {
      if (!this.#hasRoom(entries.length, bytes)) return false;
      this.#entries.push(...entries);
      this.#bytes += bytes;
      return true;
    };
    if (!(await this.#until(this.#putters, serve, waitMs, signal)))
      throw new PalimpsestError(
        "QUEUE_FULL",
        `the queue has ${this.#entries.length} items of ${this.#bytes} bytes, and no room for ${entries.length} more of ${bytes}: ` +
          "wait longer, or take items out",
      );
  }

  /** Takes exactly this many of the next items, or none. @throws {PalimpsestError} QUEUE_EMPTY, CANCELLED */
  async get(count: number, waitMs: number, signal: AbortSignal): Promise<Item[]> {
    const taken: Item[] = [];
    const serve = () => {
      if (this.#entries.length < count) return false;
      for (const { item, bytes } of this.#entries.splice(0, count)) {
        taken.push(item);
        this.#bytes -= bytes;
      }
      return true;
    };
    if (!(await this.#until(this.#getters, serve, waitMs, signal)))
      throw new PalimpsestError(
        "QUEUE_EMPTY",
        `the queue has ${this.#entries.length} items, fewer than the ${count} that were requested: wait longer`,
      );
    return taken;
  }

  size(): number {
    return this.#entries.length;
  }

  /** Returns whether one more item would have to wait. */
  isFull(): boolean {
    const { maxSize, maxBytes } = this.#bounds;
    return (maxSize > 0 && this.#entries.length >= maxSize) || this.#bytes >= maxBytes;
  }

  /** @returns whether it was served in time */
  async #until(
    queue: Set<Waiting>,
    serve: () => boolean,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    // QUEUE-4
    if (signal.aborted) throw PalimpsestError.from(signal.reason, "CANCELLED");
    // QUEUE-2
    if (queue.size === 0 && serve()) {
      this.#serveOthers();
      return true;
    }
    if (waitMs <= 0) return false;
    return await new Promise<boolean>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        queue.delete(waiting);
        signal.removeEventListener("abort", abort);
      };
      const waiting: Waiting = {
        serve() {
          if (!serve()) return false;
          leave();
          resolve(true);
          return true;
        },
      };
      const abort = () => {
        leave();
        reject(PalimpsestError.from(signal.reason, "CANCELLED"));
        // The requests behind it may need less.
        this.#serveOthers();
      };
      const timer = setTimeout(() => {
        leave();
        resolve(false);
        this.#serveOthers();
      }, waitMs);
      queue.add(waiting);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** Serves waiting requests until none can be served. */
  #serveOthers(): void {
    const serveFirst = (queue: Set<Waiting>) => {
      const [first] = queue;
      return first?.serve() ?? false;
    };
    while (serveFirst(this.#getters) || serveFirst(this.#putters));
  }

  #hasRoom(count: number, bytes: number): boolean {
    const { maxSize, maxBytes } = this.#bounds;
    return (maxSize === 0 || this.#entries.length + count <= maxSize) && this.#bytes + bytes <= maxBytes;
  }

  #checkFit(count: number, bytes: number): void {
    const { maxSize, maxBytes } = this.#bounds;
    if ((maxSize === 0 || count <= maxSize) && bytes <= maxBytes) return;
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `${count} items of ${bytes} bytes never fit into a queue of maxSize ${maxSize} and maxBytes ${maxBytes}: put fewer at once, or large ones as references`,
    );
  }
}

/** The estimated bytes of each value besides its content: of an object, and of every value in it. */
const overheadBytes = 16;

/**
 * Estimates the memory of a value in bytes, for bounds: typed arrays count with their bytes, strings with two bytes per
 * character, and every value with a constant overhead, which is all that a reference counts.
 */
function roughBytes(value: unknown): number {
  const seen = new Set<object>();
  const rest: unknown[] = [value];
  let bytes = 0;
  while (rest.length > 0) {
    const next = rest.pop();
    bytes += overheadBytes;
    if (typeof next === "string") bytes += 2 * next.length;
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    if (ArrayBuffer.isView(next) || next instanceof ArrayBuffer) bytes += next.byteLength;
    else if (next instanceof Map) for (const pair of next) rest.push(...pair);
    else if (next instanceof Set) for (const item of next) rest.push(item);
    else
      for (const [name, item] of Object.entries(next)) {
        bytes += 2 * name.length;
        rest.push(item);
      }
  }
  return bytes;
}

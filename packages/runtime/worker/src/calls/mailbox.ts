/**
 * Responsibility: deciding when each call that reached an actor, or one concurrency group of it (lanes.ts), runs.
 * Not responsible for: running calls, replies, deadlines, or the network.
 *
 * Invariants:
 * - MAILBOX-1. At most `maxConcurrency` calls run concurrently.
 * - MAILBOX-2. The calls of one caller start in the order of their arrival.
 * - MAILBOX-3. Callers with waiting calls take turns, so that a flood from one does not starve the others.
 * - MAILBOX-4. At most `maxPendingCalls` calls of `maxPendingBytes` bytes wait. Further calls are refused with
 *   PENDING_CALLS_LIMIT and change nothing. A single call may be larger than `maxPendingBytes`.
 * - MAILBOX-5. A call that was removed while it waited never starts.
 * - MAILBOX-6. After calls have run for `sliceMs`, the event loop turns before another one starts, whether methods
 *   are synchronous or not, so that cancellations, deadlines, credit and other callers' calls are processed in
 *   between.
 * - MAILBOX-7. offer() never runs a call: a message is received completely before any of its calls runs.
 * - MAILBOX-8. No call of a paused caller starts.
 * - MAILBOX-9. While the arguments of a call are being read, no later call of its caller starts.
 */
import { PalimpsestError } from "@palimpsest/wire";

const sliceMs = 10;
const noOthers = { calls: 0, bytes: 0 };

export interface MailboxEntry {
  /** The bytes that it occupies while it waits. */
  readonly sizeBytes: number;
  /** Runs the call; must not throw or reject. Returns undefined if it has ended already. */
  run(): Promise<void> | undefined;
  /** For a running call whose method has not begun: resolves when it begins, or will not. Never rejects. */
  readonly beginning?: Promise<void> | undefined;
}

export interface MailboxOptions {
  readonly maxConcurrency: number;
  readonly maxPendingCalls: number;
  readonly maxPendingBytes: number;
  /** Calls that wait in the actor's other groups and count against the limits. */
  readonly others?: () => { readonly calls: number; readonly bytes: number };
}

interface Waiting {
  readonly entry: MailboxEntry;
  readonly queue: CallerQueue;
  previous: Waiting | undefined;
  next: Waiting | undefined;
}

interface CallerQueue {
  readonly caller: unknown;
  first: Waiting | undefined;
  last: Waiting | undefined;
}

export class Mailbox {
  readonly #options: MailboxOptions;
  /** The maximum number of calls that run at the same time. */
  #maxConcurrency: number;
  readonly #queues = new Map<unknown, CallerQueue>();
  readonly #waiting = new Map<MailboxEntry, Waiting>();
  /** Callers with waiting calls that are not paused, in the order in which they will be served. */
  readonly #turns = new Set<CallerQueue>();
  readonly #paused = new Set<unknown>();
  /** Callers with a running call whose method has not begun (MAILBOX-9). */
  readonly #held = new Set<unknown>();
  #waitingBytes = 0;
  #running = 0;
  #scheduled = false;
  /** Whether it is waiting for the event loop's next turn. */
  #yielding = false;
  /** When the event loop is known to have last turned. */
  #turnedAt = 0;

  constructor(options: MailboxOptions) {
    this.#options = options;
    this.#maxConcurrency = options.maxConcurrency;
  }

  set maxConcurrency(count: number) {
    this.#maxConcurrency = count;
    this.#schedule();
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** The number of waiting calls for which there is no room to run; the others leave the mailbox in this turn. */
  get backlog(): number {
    return Math.max(0, this.#waiting.size - Math.max(0, this.#maxConcurrency - this.#running));
  }

  get running(): number {
    return this.#running;
  }

  /** Adds a call of a caller; every call is an entry of its own. @throws {PalimpsestError} PENDING_CALLS_LIMIT */
  offer(caller: unknown, entry: MailboxEntry): void {
    this.#refuseAbove(entry.sizeBytes);
    let queue = this.#queues.get(caller);
    if (!queue) {
      queue = { caller, first: undefined, last: undefined };
      this.#queues.set(caller, queue);
    }
    const waiting: Waiting = { entry, queue, previous: queue.last, next: undefined };
    if (queue.last) queue.last.next = waiting;
    else queue.first = waiting;
    queue.last = waiting;
    this.#waiting.set(entry, waiting);
    this.#waitingBytes += entry.sizeBytes;
    if (!this.#paused.has(caller) && !this.#held.has(caller)) this.#turns.add(queue);
    this.#schedule();
  }

  /** Removes a waiting call. Returns false if it is not waiting (any more). */
  remove(entry: MailboxEntry): boolean {
    const waiting = this.#waiting.get(entry);
    if (!waiting) return false;
    this.#unlink(waiting);
    return true;
  }

  /** Starts no calls of the caller until resume(). */
  pause(caller: unknown): void {
    this.#paused.add(caller);
    const queue = this.#queues.get(caller);
    if (queue) this.#turns.delete(queue);
  }

  resume(caller: unknown): void {
    if (this.#paused.delete(caller)) this.#serve(caller);
  }

  /** Lets the caller's calls start again, unless something else blocks them. */
  #serve(caller: unknown): void {
    const queue = this.#queues.get(caller);
    if (!queue || this.#paused.has(caller) || this.#held.has(caller)) return;
    this.#turns.add(queue);
    this.#schedule();
  }

  #refuseAbove(sizeBytes: number): void {
    const { maxPendingCalls, maxPendingBytes } = this.#options;
    const others = this.#options.others?.() ?? noOthers;
    // Calls for which there is room to run leave the mailbox in this turn.
    const waiting = this.#waiting.size - Math.max(0, this.#maxConcurrency - this.#running);
    const takesRoom = waiting >= 0;
    if (waiting >= maxPendingCalls || (takesRoom && waiting + others.calls >= maxPendingCalls)) {
      throw new PalimpsestError(
        "PENDING_CALLS_LIMIT",
        `${maxPendingCalls} calls wait already; slow down or raise the actor's maxPendingCalls`,
      );
    }
    const waitingBytes = this.#waitingBytes + others.bytes;
    if (waitingBytes > 0 && waitingBytes + sizeBytes > maxPendingBytes) {
      throw new PalimpsestError(
        "PENDING_CALLS_LIMIT",
        `calls of ${waitingBytes} bytes wait already, and one of ${sizeBytes} more would exceed ${maxPendingBytes}; slow down, raise the actor's maxPendingBytes, or pass large data by reference`,
      );
    }
  }

  #unlink(waiting: Waiting): void {
    const { entry, queue, previous, next } = waiting;
    if (previous) previous.next = next;
    else queue.first = next;
    if (next) next.previous = previous;
    else queue.last = previous;
    this.#waiting.delete(entry);
    this.#waitingBytes -= entry.sizeBytes;
    if (!queue.first) {
      this.#turns.delete(queue);
      this.#queues.delete(queue.caller);
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#yielding || this.#running >= this.#maxConcurrency) return;
    this.#scheduled = true;
    process.nextTick(() => {
      this.#scheduled = false;
      this.#drain();
    });
  }

  #drain(): void {
    if (this.#yielding) return;
    while (this.#running < this.#maxConcurrency && this.#turns.size > 0) {
      const [queue] = this.#turns;
      if (!queue?.first) return;
      if (performance.now() - this.#turnedAt > sliceMs) {
        this.#yield();
        return;
      }
      const { entry } = queue.first;
      this.#unlink(queue.first);
      // The caller goes to the end of the ring (MAILBOX-3).
      if (this.#turns.size > 1 && this.#turns.delete(queue)) this.#turns.add(queue);
      this.#running++;
      const done = entry.run();
      if (done && entry.beginning) this.#holdWhile(queue, entry.beginning);
      if (done) void done.then(() => this.#finished());
      else this.#running--;
    }
  }

  /** MAILBOX-9 */
  #holdWhile(queue: CallerQueue, beginning: Promise<void>): void {
    const { caller } = queue;
    this.#held.add(caller);
    this.#turns.delete(queue);
    void beginning.then(() => {
      this.#held.delete(caller);
      this.#serve(caller);
    });
  }

  /** Callbacks of setImmediate run once per turn, after input was received. */
  #yield(): void {
    this.#yielding = true;
    setImmediate(() => {
      this.#yielding = false;
      this.#turnedAt = performance.now();
      this.#drain();
    });
  }

  #finished(): void {
    this.#running--;
    this.#drain();
  }
}

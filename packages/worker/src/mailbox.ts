/**
 * Job: decides when each call that reached an actor runs.
 * Non-job: what running means, replies, deadlines, the network.
 *
 * M1. At most `maxConcurrency` calls run at once.
 * M2. The calls of one caller start in the order in which they arrived.
 * M3. Callers whose calls wait take turns, so that a flood from one does not starve the others.
 * M4. At most `maxPendingCalls` wait; one more is refused with PENDING_CALLS_LIMIT and changes nothing.
 * M5. A call that was removed while it waited never starts.
 * M6. Methods that do not wait for anything still let the event loop turn every `sliceMs`.
 */
import { PalimpsestError } from "@palimpsest/wire";

const sliceMs = 10;

export interface MailboxEntry {
  /** Runs the call; must not throw or reject. undefined: it is done already. */
  run(): Promise<void> | undefined;
}

export interface MailboxOptions {
  readonly maxConcurrency: number;
  readonly maxPendingCalls: number;
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
  readonly #queues = new Map<unknown, CallerQueue>();
  readonly #waiting = new Map<MailboxEntry, Waiting>();
  /** Callers with waiting calls, the next to be served first. */
  readonly #turns = new Set<CallerQueue>();
  #running = 0;
  #draining = false;

  constructor(options: MailboxOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running;
  }

  /** Takes a call of a caller; every call is an entry of its own. @throws {PalimpsestError} PENDING_CALLS_LIMIT */
  offer(caller: unknown, entry: MailboxEntry): void {
    const mustWait = this.#running >= this.#options.maxConcurrency;
    if (mustWait && this.#waiting.size >= this.#options.maxPendingCalls) {
      throw new PalimpsestError(
        "PENDING_CALLS_LIMIT",
        `${this.#options.maxPendingCalls} calls wait already; slow down or raise the actor's maxPendingCalls`,
      );
    }
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
    this.#turns.add(queue);
    if (!mustWait) this.#drain();
  }

  /** Takes a waiting call out; false when it does not wait (any more). */
  remove(entry: MailboxEntry): boolean {
    const waiting = this.#waiting.get(entry);
    if (!waiting) return false;
    this.#unlink(waiting);
    return true;
  }

  #unlink(waiting: Waiting): void {
    const { queue, previous, next } = waiting;
    if (previous) previous.next = next;
    else queue.first = next;
    if (next) next.previous = previous;
    else queue.last = previous;
    this.#waiting.delete(waiting.entry);
    if (!queue.first) {
      this.#turns.delete(queue);
      this.#queues.delete(queue.caller);
    }
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    const sliceEnd = performance.now() + sliceMs;
    while (this.#running < this.#options.maxConcurrency) {
      const [queue] = this.#turns;
      if (!queue?.first) break;
      if (performance.now() > sliceEnd) {
        this.#draining = false;
        setImmediate(() => this.#drain());
        return;
      }
      const { entry } = queue.first;
      this.#unlink(queue.first);
      // To the end of the ring (M3).
      if (this.#turns.delete(queue)) this.#turns.add(queue);
      this.#running++;
      const done = entry.run();
      if (done) void done.then(() => this.#finished());
      else this.#running--;
    }
    this.#draining = false;
  }

  #finished(): void {
    this.#running--;
    this.#drain();
  }
}

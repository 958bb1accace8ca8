/**
 * Responsibility: reports to the head whether this worker waits for tasks of its own, so that its cpu is free for
 * them.
 * Not responsible for: those tasks (task-queue.ts).
 *
 * Invariants:
 * - TASKWAITS-1. While tasks have been outstanding for longer than `afterMs` the wait is reported to the head, and
 *   again every `repeatMs`, because a new head does not know of it.
 * - TASKWAITS-2. Reports have increasing revisions, and are sent one after the other.
 */
import { type Clock, delay } from "@palimpsest/std";

const afterMs = 50;
const repeatMs = 5_000;

export class TaskWaits {
  readonly #clock: Clock;
  readonly #tell: (waiting: boolean, revision: number) => Promise<unknown>;
  #outstanding = 0;
  #revision = 0;
  #running = false;
  #change = new AbortController();
  #closed = false;

  constructor(clock: Clock, tell: (waiting: boolean, revision: number) => Promise<unknown>) {
    this.#clock = clock;
    this.#tell = tell;
  }

  begin(): void {
    this.#outstanding += 1;
    if (this.#outstanding === 1) void this.#run();
  }

  end(): void {
    this.#outstanding -= 1;
    if (this.#outstanding === 0) this.#change.abort();
  }

  close(): void {
    this.#closed = true;
    this.#change.abort();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    let told = false;
    let waitMs = afterMs;
    while (!this.#closed && (told || this.#outstanding > 0)) {
      this.#change = new AbortController();
      if (this.#outstanding > 0) await delay(waitMs, this.#change.signal, this.#clock);
      const waiting = this.#outstanding > 0;
      if (this.#closed || (!waiting && !told)) continue;
      this.#revision += 1;
      // A report without an answer is repeated.
      await this.#tell(waiting, this.#revision).catch(() => undefined);
      told = waiting;
      waitMs = repeatMs;
    }
    this.#running = false;
  }
}

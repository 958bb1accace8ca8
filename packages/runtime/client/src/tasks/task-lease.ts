/**
 * Responsibility: one leased worker for tasks: requests it from the head, keeps the stream to its process, and
 * reports which of its tasks had not begun when that process ended.
 * Not responsible for: which tasks it gets, and how many workers there are (task-queue.ts).
 *
 * Invariants:
 * - TASKLEASE-1. After the end of its process each task without an answer is passed on exactly once: as not begun if
 *   the death certificate says so, else as one that may have run.
 * - TASKLEASE-2. A stream that breaks while the process is alive is reopened; the tasks that were in flight may have
 *   run.
 * - TASKLEASE-3. A worker ends once: returned, killed, or found dead. Nothing is sent to it after that.
 * - TASKLEASE-4. A process that is to be killed is ordered to end until its end is known, because an order is lost with
 *   the head's link to the node, and while the node counts as lost.
 * - TASKLEASE-5. A process is killed if its stream breaks while it runs a task that was given up with force, and if it
 *   then accepts no other stream: what it computes on has no reader.
 */
import { Backoff, delay } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { CallStream } from "../calls/call-stream.js";
import { StreamWatch } from "../calls/stream-watch.js";
import { workerDied, workerNews } from "../session/worker-news.js";
import type { TaskCall } from "./task-call.js";
import type { TaskLeaseDeps } from "./task-lease-deps.js";

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;

const resolveWaitMs = 10_000;
/** The milliseconds for which a worker waits for the head's report about a process whose stream broke. */
const firstNewsWaitMs = 1_000;
/**
 * The milliseconds for which a stream stays open after the head has reported the death of its process, because answers
 * may still be unread.
 */
const lastWordsMs = 1_000;
const backoffLimits = { firstMs: 50, longestMs: 2_000 };
const silenceMs = { first: 5_000, longest: 30_000 };

export class TaskLease {
  readonly actorId: string;
  /** True if it gets no more tasks, and is returned when those that it has are done. */
  retiring = false;
  openedAtMs = 0;
  idleSinceMs = 0;
  pendingReason = "";
  /** The number of calls of each function so far. */
  readonly #counts = new Map<string, number>();
  readonly #deps: TaskLeaseDeps<TaskLease>;
  readonly #abort = new AbortController();
  readonly #tasks = new Set<TaskCall>();
  readonly #created: Promise<proto.ActorInfo.$Properties>;
  readonly #watch: StreamWatch;
  #stream: CallStream | undefined;
  #died: ((info: proto.ActorInfo.$Properties) => void) | undefined;
  #everOpen = false;
  #crashing: Promise<void> | undefined;

  constructor(deps: TaskLeaseDeps<TaskLease>) {
    this.#deps = deps;
    this.actorId = deps.actorId;
    const { actorId, resolver, clock } = deps;
    const onDeath = (info: proto.ActorInfo.$Properties) => this.noticeDeath(info);
    this.#watch = new StreamWatch({
      actorId,
      resolver,
      clock,
      signal: this.#abort.signal,
      silenceMs,
      onDeath,
    });
    this.#created = deps.create(this.#abort.signal);
    void this.#live();
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  get isOver(): boolean {
    return this.#abort.signal.aborted;
  }

  /** The number of tasks that it has. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Whether an abandoned task still runs, or one that does not share the worker. */
  get isBlocked(): boolean {
    for (const call of this.#tasks) {
      if (call.settled || !call.mayRepeat) return true;
      // The other tasks were sent after it.
      break;
    }
    return false;
  }

  /** Since when its first task has been running although no caller waits for it. */
  get lingersSinceMs(): number | undefined {
    const [first] = this.#tasks;
    return first?.settled ? first.abandonedAtMs : undefined;
  }

  send(call: TaskCall): void {
    const stream = this.#stream;
    if (!stream) throw new PalimpsestError("INTERNAL", `worker ${this.actorId} is not open`);
    call.lease = this;
    call.sentAtMs = performance.now();
    this.#tasks.add(call);
    if (call.maxCalls > 0) {
      const count = (this.#counts.get(call.method) ?? 0) + 1;
      this.#counts.set(call.method, count);
      if (count >= call.maxCalls) this.retiring = true;
    }
    stream.send(call);
    this.#watch.start(stream);
  }

  /** Records that no caller waits for the task. Its slot is free when its function has ended. */
  abandon(call: TaskCall): void {
    this.#stream?.cancel(call);
  }

  grant(call: TaskCall, items: number, bytes: number): void {
    this.#stream?.grant(call, items, bytes);
  }

  has(call: TaskCall): boolean {
    return this.#tasks.has(call);
  }

  isFirst(call: TaskCall): boolean {
    const [first] = this.#tasks;
    return first === call;
  }

  left(call: TaskCall, ranMs: number | undefined): void {
    if (!this.#tasks.delete(call)) return;
    this.idleSinceMs = this.#deps.clock.monotonicMs();
    this.#deps.onLeft(this, ranMs);
  }

  /**
   * Returns it to the head as soon as this program has leased the values that came from it, because values that only
   * its process has are lost with it.
   */
  giveBack(): void {
    if (this.isOver) return;
    const taking = this.#stream?.taking;
    if (taking !== undefined) {
      this.retiring = true;
      void taking.then(() => {
        if (this.size === 0) this.giveBack();
      });
      return;
    }
    this.#end();
    // The worker is not killed before the head knows it. A worker that the head learns of later ends by itself, because
    // it has no callers (HOST-3).
    const kill = () => this.#deps.kill(false);
    void this.#created.then(kill, kill).catch(() => undefined);
    this.#deps.onEnded(this, undefined, !this.#everOpen);
  }

  /** Kills its process. */
  crash(): Promise<void> {
    this.#crashing ??= this.#crash();
    return this.#crashing;
  }

  /** TASKLEASE-4 */
  async #crash(): Promise<void> {
    this.retiring = true;
    while (!this.isOver) {
      // It fails while the head or its node is away.
      await this.#deps.kill(true).catch(() => undefined);
      await delay(backoffLimits.longestMs, this.#abort.signal, this.#deps.clock);
    }
  }

  /** Handles the head's report that the worker died. */
  noticeDeath(info: proto.ActorInfo.$Properties): void {
    this.#died?.(info);
  }

  /** Handles the end of the connection. */
  close(error: PalimpsestError): void {
    this.#end();
    for (const call of [...this.#tasks]) call.fail(error);
    this.#tasks.clear();
  }

  #end(): void {
    this.#abort.abort();
    this.#watch.stop();
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.close(new PalimpsestError("CANCELLED", "the worker was given back"));
  }

  async #live(): Promise<void> {
    try {
      const info = await this.#created;
      if (!this.isOver) await this.#follow(info);
    } catch (reason) {
      this.#over(PalimpsestError.from(reason));
    }
  }

  async #follow(created: proto.ActorInfo.$Properties): Promise<void> {
    const { clock } = this.#deps;
    let info: proto.ActorInfo.$Properties | undefined = created;
    const backoff = new Backoff(backoffLimits);
    let known = 0;
    // The first news comes soon, because it says why the worker waits.
    let waitMs = firstNewsWaitMs;
    let lostTasks = false;
    while (!this.isOver) {
      if (info?.state === ACTOR_STATE_DEAD) return this.#dead(info);
      if (info?.state === ACTOR_STATE_ALIVE) {
        const broken = await this.#serve(info);
        if (this.isOver) return;
        if (broken.info) return this.#dead(broken.info, broken.unanswered);
        if (broken.opened) backoff.reset();
        known = info.incarnation ?? 0;
        info = await this.#news(known, firstNewsWaitMs);
        if (this.isOver) return;
        if (info?.state === ACTOR_STATE_DEAD) return this.#dead(info, broken.unanswered);
        // TASKLEASE-5
        if (broken.unanswered[0]?.isForced || (lostTasks && !broken.opened)) void this.crash();
        lostTasks = broken.unanswered.length > 0 || (lostTasks && !broken.opened);
        this.#interrupt(broken.unanswered, undefined, workerDied(this.actorId, info, broken.error));
        // The next poll finds the same process.
        known = 0;
        waitMs = firstNewsWaitMs;
        await delay(backoff.next(), this.#abort.signal, clock);
      }
      if (this.isOver) return;
      info = await this.#news(known, waitMs);
      this.pendingReason = info?.pendingReason ?? "";
      if (this.pendingReason !== "") waitMs = resolveWaitMs;
      if (!info) {
        await delay(backoff.next(), this.#abort.signal, clock);
      }
    }
  }

  /** Serves tasks over one stream until the stream breaks, or the head reports that the worker died. */
  async #serve(alive: proto.ActorInfo.$Properties): Promise<Broken> {
    const { actorId, callerId, network, clock } = this.#deps;
    let settle: (broken: Omit<Broken, "opened">) => void = () => undefined;
    const end = new Promise<Omit<Broken, "opened">>((resolve) => {
      settle = resolve;
    });
    const opening = CallStream.open({
      ...{
        actorId,
        callerId,
        network,
        clock,
        address: alive.address ?? "",
        incarnation: alive.incarnation ?? 0,
      },
      onBreak: (error, unanswered) => {
        this.#stream = undefined;
        this.#watch.stop();
        settle({ error, unanswered: unanswered as readonly TaskCall[], info: news });
      },
    });
    let news: proto.ActorInfo.$Properties | undefined;
    this.#died = (info) => {
      news ??= info;
      // Answers that it sent before may still be unread in the socket, and the socket's end follows them.
      clock.after(lastWordsMs, () => opening.stream.close(new PalimpsestError("ACTOR_DIED", "it died")));
    };
    const onAbort = () => opening.stream.close(new PalimpsestError("CANCELLED", "the worker was given back"));
    this.#abort.signal.addEventListener("abort", onAbort, { once: true });
    const opened = await opening.ready.then(
      () => true,
      () => false,
    );
    if (opened && !opening.stream.broken) {
      this.#stream = opening.stream;
      this.#everOpen = true;
      this.openedAtMs = clock.monotonicMs();
      this.idleSinceMs = this.openedAtMs;
      this.#deps.onOpen(this);
    }
    const broken = await end;
    this.#died = undefined;
    this.#abort.signal.removeEventListener("abort", onAbort);
    return { ...broken, opened };
  }

  #news(known: number, waitMs: number): Promise<proto.ActorInfo.$Properties | undefined> {
    return workerNews(this.#deps.resolver, this.actorId, known, waitMs, this.#abort.signal);
  }

  #dead(info: proto.ActorInfo.$Properties, unanswered: readonly TaskCall[] = []): void {
    const error = workerDied(this.actorId, info, undefined);
    this.#interrupt(unanswered, info.certificate?.startedCalls ?? undefined, error);
    this.#over(error);
  }

  #interrupt(calls: readonly TaskCall[], startedCalls: number | undefined, error: PalimpsestError): void {
    if (calls.length === 0) return;
    const tasks = calls.map((call) => ({
      call,
      begun: startedCalls === undefined || call.callId <= startedCalls,
    }));
    for (const call of calls) this.#tasks.delete(call);
    this.#deps.onInterrupted(this, tasks, error);
  }

  #over(error: PalimpsestError): void {
    if (this.isOver) return;
    this.#end();
    this.#deps.onEnded(this, error, !this.#everOpen);
  }
}

interface Broken {
  readonly error: PalimpsestError;
  readonly unanswered: readonly TaskCall[];
  /** The head's report of the worker's death. */
  readonly info: proto.ActorInfo.$Properties | undefined;
  readonly opened: boolean;
}

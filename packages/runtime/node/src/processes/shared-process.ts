/**
 * Responsibility: one process of many light actors: their starts and stops in few messages, whether it still
 * responds, and what its end means for each.
 * Not responsible for: which actors share it (shared-processes.ts).
 *
 * Invariants:
 * - SHAREDPROCESS-1. The end of each actor is reported exactly once, whichever ends first, the actor or its process.
 * - SHAREDPROCESS-2. A process that does not respond for `blockLimitMs`, or not while an actor should have ended, is
 *   killed. Time in which the node itself stood still does not count.
 * - SHAREDPROCESS-3. If it is known whose code ended the process, that actor's certificate says so, and those of the
 *   others name it and mark them as bystanders. If it is not known, there are no bystanders.
 */
import { readFileSync, rmSync } from "node:fs";
import { errorFromProto, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { SharedActorRequest } from "./shared-actor-request.js";
import { SharedSlot } from "./shared-slot.js";
import { certificateOf, endSentence, type ProcessEnd, type SupervisedProcess } from "./supervised-process.js";
import type { WorkerProcess } from "./worker-process.js";

const beatMs = 1_000;
/** After this many heartbeats without an answer, an actor that should have ended is assumed to block the process. */
const stopBeats = 2;

/** The process as this file needs it. */
export type SharedWorker = Pick<WorkerProcess, "assign" | "order" | "closeOutput" | "stack"> & {
  readonly process: Pick<SupervisedProcess, "pid" | "ended" | "stop" | "stopReason">;
};

export interface SharedProcessOptions {
  readonly worker: SharedWorker;
  readonly start: proto.ActorProcessStart.$Properties;
  readonly logPath: string;
  readonly startTimeoutMs: number;
  readonly blockLimitMs: number;
  readonly onTaskReport?: ((report: proto.TaskReport.$Properties) => void) | undefined;
  /** Called when it has ended, before its actors are told. */
  readonly onEnded: () => void;
  /** Called when its last actor has ended. */
  readonly onEmpty: () => void;
}

export class SharedProcess {
  readonly logPath: string;
  readonly #options: SharedProcessOptions;
  readonly #slots = new Map<number, SharedSlot>();
  readonly #beat: NodeJS.Timeout;
  #ready: proto.ActorProcessReady.$Properties | undefined;
  #outbox: { start: proto.SharedActor.$Properties[]; stop: proto.StopSharedActor.$Properties[] } | undefined;
  #nextSlot = 1;
  #unanswered = 0;
  #guilty: number | undefined;
  #started = 0;

  constructor(options: SharedProcessOptions) {
    this.#options = options;
    this.logPath = options.logPath;
    const { worker, start, logPath } = options;
    worker.assign(logPath, (event) => this.#hear(event));
    worker.order({ startShared: start });
    this.#beat = setInterval(() => this.#watch(), beatMs);
    void worker.process.ended.then((end) => this.#ended(end));
  }

  get size(): number {
    return this.#slots.size;
  }

  /** The number of actors that were ever started in it. */
  get started(): number {
    return this.#started;
  }

  host({ spec, incarnation }: SharedActorRequest): SharedSlot {
    const slot = this.#nextSlot++;
    this.#started += 1;
    const { worker, startTimeoutMs } = this.#options;
    const hosted = new SharedSlot({
      ...{ slot, spec, incarnation, startTimeoutMs },
      pid: worker.process.pid,
      order: (orders) => this.#order(orders),
      endProcess: (reason) => this.#end(slot, reason),
      stack: worker.stack,
    });
    this.#slots.set(slot, hosted);
    this.#order({ start: [hosted.order] });
    return hosted;
  }

  adopt(credentials: proto.ProcessCredentials.$Properties): void {
    this.#options.worker.order({ credentials });
  }

  /** Ends the process. With a grace period of 0 it is killed at once. */
  async stop(graceMs: number, reason: string): Promise<void> {
    await this.#options.worker.process.stop(graceMs, reason);
  }

  /** Sends orders. Those of one turn share one message, and none is sent before the process is ready. */
  #order({ start = [], stop = [] }: proto.SharedOrders.$Properties): void {
    const isFirst = this.#outbox === undefined;
    this.#outbox ??= { start: [], stop: [] };
    this.#outbox.start.push(...(start ?? []));
    this.#outbox.stop.push(...(stop ?? []));
    if (isFirst && this.#ready) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const shared = this.#outbox;
    this.#outbox = undefined;
    if (shared) this.#options.worker.order({ shared });
  }

  #hear(event: proto.ActorProcessEvent): void {
    this.#unanswered = 0;
    if (event.ready) {
      this.#ready = event.ready;
      this.#flush();
    } else if (event.taskReport) this.#options.onTaskReport?.(event.taskReport);
    else if (event.shared) {
      for (const slot of event.shared.ready ?? []) this.#slots.get(slot)?.becameReady(this.#ready ?? {});
      for (const ended of event.shared.ended ?? []) this.#actorEnded(ended);
    }
  }

  #actorEnded({ slot, failed, exiting }: proto.SharedActorEnded.$Properties): void {
    const hosted = this.#slots.get(slot ?? 0);
    if (!hosted) return;
    this.#slots.delete(slot ?? 0);
    const error = failed ? errorFromProto(failed) : undefined;
    const exit = exiting ? `it exited by itself${exiting.reason ? `: ${exiting.reason}` : ""}` : undefined;
    const now = Date.now();
    const reason = hosted.stopReason ?? exit ?? error?.rawMessage ?? "it was stopped";
    hosted.end({
      certificate: {
        ...{ reason, pid: hosted.pid, exited: exit !== undefined, lastHeartbeatMs: now, diedAtMs: now },
        ...this.#facts(hosted),
      },
      failed: hosted.stopReason === undefined ? error : undefined,
    });
    if (this.#slots.size === 0) this.#options.onEmpty();
  }

  /** SHAREDPROCESS-2 */
  #watch(): void {
    if (this.#slots.size === 0 || !this.#ready) {
      this.#unanswered = 0;
      return;
    }
    const { blockLimitMs, worker } = this.#options;
    if (this.#unanswered * beatMs > blockLimitMs) {
      void worker.process.stop(
        0,
        `it answered nothing for ${blockLimitMs} ms: an actor blocks its event loop`,
      );
      return;
    }
    if (this.#unanswered > stopBeats) {
      const now = performance.now();
      for (const [slot, hosted] of this.#slots) {
        if (hosted.overdueAtMs > now) continue;
        this.#end(slot, `${hosted.actorId} did not end when it was stopped: ${hosted.stopReason}`);
        return;
      }
    }
    this.#unanswered += 1;
    worker.order({ ping: {} });
  }

  #end(slot: number, reason: string): void {
    this.#guilty ??= slot;
    void this.#options.worker.process.stop(0, reason);
  }

  #ended(end: ProcessEnd): void {
    clearInterval(this.#beat);
    const { worker, onEnded } = this.#options;
    worker.closeOutput();
    const marked = this.#readMark();
    const guilty = this.#guilty ?? marked;
    const guiltyActor = this.#slots.get(guilty ?? 0)?.actorId;
    const sentence = worker.process.stopReason ?? endSentence(end);
    onEnded();
    for (const [slot, hosted] of this.#slots) {
      const { reason, bystander } = this.#verdict(hosted, slot === guilty, guiltyActor, sentence);
      const told = bystander ? { ...end, lastStderrLines: [] } : end;
      const certificate = certificateOf(told, { reason, pid: hosted.pid, ...this.#facts(hosted) });
      // If a process could not even start, that is a transient problem of the machine, not of the actors.
      const failed = this.#ready ? undefined : new PalimpsestError("UNAVAILABLE", sentence);
      hosted.end({ certificate: { ...certificate, bystander }, failed });
    }
    this.#slots.clear();
  }

  #verdict(
    hosted: SharedSlot,
    isGuilty: boolean,
    guiltyActor: string | undefined,
    sentence: string,
  ): { readonly reason: string; readonly bystander: boolean } {
    if (hosted.stopReason !== undefined) return { reason: hosted.stopReason, bystander: false };
    if (isGuilty) return { reason: `it ended the process that it shared: ${sentence}`, bystander: false };
    if (guiltyActor !== undefined)
      return { reason: `${guiltyActor} ended the process that both shared: ${sentence}`, bystander: true };
    const reason = `the process that it shared with ${this.#slots.size - 1} actors ended, and which of them did it is not known: ${sentence}`;
    return { reason, bystander: false };
  }

  #facts({ order }: SharedSlot) {
    return { nodeId: this.#options.start.nodeId ?? "", ownerId: order.spec?.ownerId ?? "" };
  }

  /** Returns the slot of the actor whose code was running when the process ended. */
  #readMark(): number | undefined {
    const path = this.#options.start.startedPath ?? "";
    try {
      const bytes = readFileSync(path);
      return bytes.byteLength === 8 ? Number(bytes.readBigUInt64LE()) || undefined : undefined;
    } catch {
      // The process ended before it had created the file.
      return undefined;
    } finally {
      rmSync(path, { force: true });
    }
  }
}

/**
 * Responsibility: forwarding the reports of this node's processes about their calls and tasks to the head, and
 * reporting the node's own transfers of objects.
 * Not responsible for: what a process reports (worker's call-events.ts).
 *
 * Invariants:
 * - TASKREPORTS-1. At most as many events per second are sent as the head allows; the others are counted as left out.
 *   Failures are sent first.
 * - TASKREPORTS-2. Counts are always sent. Reports without a link, or to a head that is behind, are dropped, so that
 *   no queue grows.
 */
import type { Clock } from "@palimpsest/std";
import { TaskRecorder } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ObjectTransfer } from "../objects/object-fetch.js";

const windowMs = 1_000;
const { TASK_STATE_FINISHED } = proto.TaskState;

export interface TaskReportsDeps {
  readonly about: Pick<proto.TaskReport.$Properties, "nodeId" | "pid" | "role">;
  readonly clock: Clock;
  readonly send: (report: proto.TaskReport.$Properties) => void;
}

export class TaskReports {
  /** The number of events per second that the head allows. */
  perSecond = 0;
  readonly #deps: TaskReportsDeps;
  readonly #transfers = new TaskRecorder(proto.TaskKind.TASK_KIND_TRANSFER);
  #transferCount = 0;
  #cancelTransfers: (() => void) | undefined;
  #windowBeganMs = Number.NEGATIVE_INFINITY;
  #sent = 0;

  constructor(deps: TaskReportsDeps) {
    this.#deps = deps;
  }

  /** Forwards the report of a process on this node. */
  forward(report: proto.TaskReport.$Properties): void {
    if (this.perSecond === 0) return;
    const { ended: all = [] } = report;
    const ended = all ?? [];
    const room = this.#room();
    if (ended.length <= room) {
      this.#sent += ended.length;
      this.#deps.send(report);
      return;
    }
    // TASKREPORTS-1
    const isSuccess = ({ state }: proto.TaskEvent.$Properties) => state === TASK_STATE_FINISHED;
    const sorted = [...ended.filter((event) => !isSuccess(event)), ...ended.filter(isSuccess)];
    this.#sent += room;
    const leftOut = new Map<string, proto.TaskCounts.$Properties>();
    for (const { kind = 0, name = "" } of sorted.slice(room)) {
      const known = leftOut.get(name ?? "");
      leftOut.set(name ?? "", { kind, name, leftOut: (known?.leftOut ?? 0) + 1 });
    }
    const counts = [...(report.counts ?? []), ...leftOut.values()];
    this.#deps.send({ ...report, ended: sorted.slice(0, room), counts });
  }

  transferred({ objectId, sizeBytes, peerAddress, startedAtMs, endedAtMs, error }: ObjectTransfer): void {
    const task = { taskId: `${this.#deps.about.nodeId}.${++this.#transferCount}`, callerId: "" };
    const outcome = error ? "failed" : "finished";
    const more = { objectId, sizeBytes, peerAddress };
    this.#transfers.ended(task, "fetch", outcome, startedAtMs, startedAtMs, endedAtMs, error, more);
    this.#cancelTransfers ??= this.#deps.clock.after(windowMs, () => this.#tellTransfers());
  }

  close(): void {
    this.#cancelTransfers?.();
  }

  #tellTransfers(): void {
    this.#cancelTransfers = undefined;
    const { about } = this.#deps;
    this.forward({ ...about, ...this.#transfers.take(), reporterId: about.nodeId ?? "" });
  }

  #room(): number {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#windowBeganMs >= windowMs) {
      this.#windowBeganMs = nowMs;
      this.#sent = 0;
    }
    return Math.max(0, this.perSecond - this.#sent);
  }
}

/**
 * Responsibility: formats tasks, calls and transfers as a trace in the format of Chrome's trace viewer, which
 * Perfetto opens: one process for each process of the cluster, with one row per simultaneous task, and arrows from
 * callers to callees.
 * Not responsible for: the selection of events.
 *
 * Times are those of the machine that ran a call, in microseconds since the first event.
 */
import type { TaskInfo } from "@palimpsest/client";
import { incarnationName } from "@palimpsest/wire";

/** Chrome's phase names: a complete event, metadata, and the start and the end of an arrow. */
type Phase = "X" | "M" | "s" | "f";

interface TraceEvent {
  readonly name: string;
  readonly ph: Phase;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly id?: number;
  /** Set on the end of an arrow: "e" binds the arrow to the enclosing slice. */
  readonly bp?: "e";
  readonly cname?: string;
  readonly args?: Readonly<Record<string, string | number>>;
}

export interface ChromeTrace {
  readonly traceEvents: readonly TraceEvent[];
  readonly displayTimeUnit: "ms";
}

interface Slice {
  readonly task: TaskInfo;
  readonly name: string;
  readonly startUs: number;
  readonly endUs: number;
  /** The prefix of the name of the slice's row. */
  readonly track: string;
}

interface Process {
  readonly pid: number;
  title: string;
  /** The end of the last slice in each row, by track. */
  readonly rows: Map<string, number[]>;
  readonly rowIds: Map<string, number>;
}

const failedColor = "terrible";

/** @param nowMs the end of tasks that are still running */
export function chromeTrace(tasks: readonly TaskInfo[], nowMs: number): ChromeTrace {
  const ran = tasks.filter(({ startedAtMs }) => startedAtMs > 0);
  const originMs = ran.reduce((first, task) => Math.min(first, task.queuedAtMs || task.startedAtMs), nowMs);
  const us = (ms: number) => Math.max(0, Math.round((ms - originMs) * 1_000));
  const processes = new Processes();
  const traceEvents: TraceEvent[] = [];
  const sorted = [...ran].sort((a, b) => a.startedAtMs - b.startedAtMs);
  const callee = slicesOf(sorted, us, nowMs);
  let arrows = 0;
  for (const slice of callee) {
    const { task } = slice;
    const process = processes.of(processKey(task), titleOf(task));
    const tid = processes.row(process, slice);
    traceEvents.push(complete(process.pid, tid, slice));
    if (task.callerId === "") continue;
    // The caller shows the call from its arrival at the callee until its end, as far as the callee has reported them.
    const caller = processes.of(task.callerId, task.callerId);
    const queuedUs = Math.min(slice.startUs, us(task.queuedAtMs || task.startedAtMs));
    const outgoing: Slice = { ...slice, name: `→ ${slice.name}`, startUs: queuedUs, track: "calls out" };
    const callerTid = processes.row(caller, outgoing);
    traceEvents.push(complete(caller.pid, callerTid, outgoing));
    const arrow = { name: "call", cat: "call", id: ++arrows };
    traceEvents.push({ ...arrow, ph: "s", pid: caller.pid, tid: callerTid, ts: queuedUs });
    traceEvents.push({ ...arrow, ph: "f", bp: "e", pid: process.pid, tid, ts: slice.startUs });
  }
  return { traceEvents: [...processes.names(), ...traceEvents], displayTimeUnit: "ms" };
}

function slicesOf(tasks: readonly TaskInfo[], us: (ms: number) => number, nowMs: number): readonly Slice[] {
  return tasks.map((task) => ({
    task,
    name: task.kind === "transfer" ? `${task.name} ${task.objectId.slice(0, 12)}` : task.name,
    startUs: us(task.startedAtMs),
    endUs: us(task.endedAtMs > 0 ? task.endedAtMs : nowMs),
    track: `${task.kind}s`,
  }));
}

function processKey({ actorId, incarnation, nodeId, callerId }: TaskInfo): string {
  return actorId === "" ? nodeId || callerId || "unknown" : incarnationName({ actorId, incarnation });
}

function titleOf({ role, actorId, incarnation, nodeId, pid }: TaskInfo): string {
  const who = actorId === "" ? nodeId : `${actorId}.${incarnation} on ${nodeId}`;
  return `${role} ${who} (pid ${pid})`;
}

function complete(pid: number, tid: number, { task, name, startUs, endUs }: Slice): TraceEvent {
  const { taskId, kind, state, jobId, callerId, errorCode, errorMessage, sizeBytes, peerAddress } = task;
  const args: Record<string, string | number> = { taskId, state };
  for (const [key, value] of Object.entries({ jobId, callerId, errorCode, errorMessage, peerAddress }))
    if (value !== "") args[key] = value;
  if (sizeBytes > 0) args["sizeBytes"] = sizeBytes;
  const color = state === "failed" ? { cname: failedColor } : {};
  return {
    name,
    ph: "X",
    cat: kind,
    pid,
    tid,
    ts: startUs,
    dur: Math.max(0, endUs - startUs),
    args,
    ...color,
  };
}

class Processes {
  readonly #known = new Map<string, Process>();

  of(key: string, title: string): Process {
    let process = this.#known.get(key);
    if (process === undefined) {
      process = { pid: this.#known.size + 1, title, rows: new Map(), rowIds: new Map() };
      this.#known.set(key, process);
    }
    // A process's report about itself is more complete than those of its callees.
    if (title.length > process.title.length) process.title = title;
    return process;
  }

  /**
   * Returns the first row of the track that is free at the slice's start, because slices of one row must not overlap.
   */
  row(process: Process, { track, startUs, endUs }: Slice): number {
    const ends = process.rows.get(track) ?? [];
    process.rows.set(track, ends);
    const free = ends.findIndex((endedUs) => endedUs <= startUs);
    const index = free < 0 ? ends.length : free;
    ends[index] = endUs;
    const name = index === 0 ? track : `${track} ${index + 1}`;
    const tid = process.rowIds.get(name) ?? process.rowIds.size + 1;
    process.rowIds.set(name, tid);
    return tid;
  }

  *names(): Generator<TraceEvent> {
    for (const { pid, title, rowIds } of this.#known.values()) {
      yield { name: "process_name", ph: "M", pid, tid: 0, args: { name: title } };
      for (const [name, tid] of rowIds) yield { name: "thread_name", ph: "M", pid, tid, args: { name } };
    }
  }
}

/**
 * Groups calls into lanes, one per process, to show which of them is busy, which method takes the time, and what waits
 * for what.
 */
import type { TaskRow } from "../api/tasks.js";

interface CallLane {
  readonly process: string;
  readonly title: string;
  readonly calls: readonly TaskRow[];
  /** Milliseconds during which at least one call ran. */
  readonly busyMs: number;
  /** Milliseconds that calls waited, summed. */
  readonly waitedMs: number;
}

export interface CallTimeline {
  readonly fromMs: number;
  readonly toMs: number;
  readonly lanes: readonly CallLane[];
  readonly methods: readonly {
    readonly name: string;
    readonly calls: number;
    readonly ranMs: number;
    readonly waitedMs: number;
    readonly failed: number;
  }[];
  /** A sentence about the bottleneck; empty when there is none. */
  readonly bottleneck: string;
  readonly advice: string;
}

/** A process that is busy for a smaller fraction of the time is not a bottleneck. */
const busyShare = 0.7;

export function callTimeline(rows: readonly TaskRow[], nowMs: number): CallTimeline {
  const ran = rows.filter(({ startedAtMs }) => startedAtMs > 0);
  const endOf = ({ endedAtMs }: TaskRow) => endedAtMs || nowMs;
  const fromMs = ran.reduce(
    (least, { queuedAtMs, startedAtMs }) => Math.min(least, queuedAtMs || startedAtMs),
    nowMs,
  );
  const toMs = ran.reduce((most, call) => Math.max(most, endOf(call)), fromMs);
  const byProcess = new Map<string, TaskRow[]>();
  const byMethod = new Map<string, { calls: number; ranMs: number; waitedMs: number; failed: number }>();
  for (const call of ran) {
    const process = call.actorId || `${call.nodeId} ${call.pid}`;
    const own = byProcess.get(process);
    if (own) own.push(call);
    else byProcess.set(process, [call]);
    const name = call.role ? `${call.role}.${call.name}` : call.name;
    const sums = byMethod.get(name) ?? { calls: 0, ranMs: 0, waitedMs: 0, failed: 0 };
    sums.calls += 1;
    sums.ranMs += endOf(call) - call.startedAtMs;
    sums.waitedMs += waitOf(call);
    if (call.state === "failed") sums.failed += 1;
    byMethod.set(name, sums);
  }
  const lanes = [...byProcess].map(([process, calls]): CallLane => {
    const [first] = calls;
    return {
      process,
      title: `${first?.role || first?.kind || ""} ${first?.pid || ""}`.trim(),
      calls: calls.sort((a, b) => a.startedAtMs - b.startedAtMs),
      busyMs: busyTime(calls.map((call) => [call.startedAtMs, endOf(call)])),
      waitedMs: calls.reduce((sum, call) => sum + waitOf(call), 0),
    };
  });
  lanes.sort((a, b) => b.busyMs - a.busyMs);
  const methods = [...byMethod].map(([name, sums]) => ({ name, ...sums })).sort((a, b) => b.ranMs - a.ranMs);
  return { fromMs, toMs, lanes, methods, ...judge(lanes, toMs - fromMs) };
}

const waitOf = ({ queuedAtMs, startedAtMs }: TaskRow) =>
  queuedAtMs > 0 ? Math.max(0, startedAtMs - queuedAtMs) : 0;

/** Computes the union of intervals: a process that runs two calls at once is not busy twice. */
function busyTime(spans: readonly (readonly [number, number])[]): number {
  let sum = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [from, to] of spans) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

function judge(lanes: readonly CallLane[], spanMs: number): Pick<CallTimeline, "bottleneck" | "advice"> {
  const [busiest, ...others] = lanes;
  if (busiest === undefined || spanMs <= 0 || busiest.busyMs < busyShare * spanMs) {
    const waited = lanes.reduce((sum, lane) => sum + lane.waitedMs, 0);
    return {
      bottleneck: "",
      advice:
        waited > spanMs && lanes.length > 0
          ? "Calls wait although no process is busy: check whether actors wait for each other, or for one concurrency group."
          : "",
    };
  }
  const share = Math.round((100 * busiest.busyMs) / spanMs);
  const alike = others.filter((lane) => lane.busyMs >= busyShare * spanMs);
  const bottleneck =
    alike.length === 0
      ? `${busiest.title} is the bottleneck: it has calls in progress for ${share} % of the time, no other process for more than ${Math.round((100 * (others[0]?.busyMs ?? 0)) / spanMs)} %.`
      : `${alike.length + 1} processes have calls in progress for more than ${100 * busyShare} % of the time: ${[busiest, ...alike.slice(0, 3)].map(({ title }) => title).join(", ")}.`;
  const advice =
    busiest.waitedMs > busiest.busyMs
      ? "Its calls wait longer than they run: spread them over more actors (a pool, or a mesh), or let it run several at once (`maxConcurrency`)."
      : "Calls hardly wait for it. A call that waits for another one counts as in progress, too: the page Training shows what a training step waits for.";
  return { bottleneck, advice };
}

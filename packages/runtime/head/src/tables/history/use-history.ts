/**
 * Responsibility: what nodes and processes really used in the last 15 minutes.
 * Not responsible for: leases (node-table.ts), measuring (the nodes).
 *
 * Invariants:
 * - USE-1. At most maxNodes and maxProcesses series are kept, of 3,600 and 1,440 bytes of points: 15.2 MB. The series
 *   that was reported longest ago gives way to a new one, and one whose points are all older is forgotten.
 * - USE-2. A series has one point for each interval up to now, the last of those reported in it, and NaN where none was.
 */
import type { Clock } from "@palimpsest/std";
import type * as proto from "@palimpsest/wire/protocol";

/** Milliseconds from one point to the next. Nodes report as often. */
export const useIntervalMs = 5_000;
/** 15 minutes. */
export const usePoints = 180;
const maxNodes = 1_000;
const maxProcesses = 8_000;
const maxIds = 1_000;

const nodeFields = ["cpuPercent", "memoryBytes", "diskBytes", "gpuPercent", "gpuMemoryBytes"] as const;
const processFields = ["cpuPercent", "memoryBytes"] as const;
type Field = (typeof nodeFields)[number];

interface UseBounds {
  readonly nodes: number;
  readonly processes: number;
}

export class UseHistory {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #bounds: UseBounds;
  /** The longest ago reported one comes first. */
  readonly #nodes = new Map<string, Series>();
  readonly #processes = new Map<string, Series>();

  constructor(
    clock: Pick<Clock, "monotonicMs">,
    bounds: UseBounds = { nodes: maxNodes, processes: maxProcesses },
  ) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** The bytes of all points that are kept. */
  get bytes(): number {
    return [...this.#nodes.values(), ...this.#processes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  report(nodeId: string, use: proto.MachineUse.$Properties): void {
    const slot = this.#slot;
    const gpus = use.gpus ?? [];
    const sum = (of: (gpu: proto.GpuUse.$Properties) => number | null | undefined) =>
      gpus.reduce((total, gpu) => total + (of(gpu) ?? 0), 0);
    const node = this.#series(this.#nodes, nodeId, nodeFields, this.#bounds.nodes);
    node.set(slot, {
      cpuPercent: use.cpuPercent ?? 0,
      memoryBytes: use.memoryUsedBytes ?? 0,
      diskBytes: use.diskTotalBytes ? (use.diskUsedBytes ?? 0) : Number.NaN,
      gpuPercent: gpus.length > 0 ? sum(({ percent }) => percent) / gpus.length : Number.NaN,
      gpuMemoryBytes: gpus.length > 0 ? sum(({ memoryUsedBytes }) => memoryUsedBytes) : Number.NaN,
    });
    node.totals = {
      memoryTotalBytes: use.memoryTotalBytes ?? 0,
      diskTotalBytes: use.diskTotalBytes ?? 0,
      gpuMemoryTotalBytes: sum(({ memoryTotalBytes }) => memoryTotalBytes),
    };
    for (const { id, cpuPercent, memoryBytes } of use.processes ?? [])
      if (id)
        this.#series(this.#processes, id, processFields, this.#bounds.processes).set(slot, {
          cpuPercent: cpuPercent ?? 0,
          memoryBytes: memoryBytes ?? 0,
        });
  }

  /** @param ids nodes, actors and jobs; none: all nodes, and the newest values of all processes */
  list(ids: readonly string[]): proto.ListUseResponse.$Properties {
    const slot = this.#slot;
    const wanted = ids.length > 0 ? ids.slice(0, maxIds) : [...this.#nodes.keys()];
    const series = wanted.flatMap((id) => {
      const found = this.#nodes.get(id) ?? this.#processes.get(id);
      return found && !found.isOver(slot) ? [found.message(id, slot)] : [];
    });
    const processes = ids.length > 0 ? [] : [...this.#processes].flatMap(([id, one]) => one.newest(id, slot));
    return { intervalMs: useIntervalMs, series, processes };
  }

  get #slot(): number {
    return Math.floor(this.#clock.monotonicMs() / useIntervalMs);
  }

  /** USE-1 */
  #series(kept: Map<string, Series>, id: string, fields: readonly Field[], most: number): Series {
    const series = kept.get(id) ?? new Series(fields);
    kept.delete(id);
    kept.set(id, series);
    const slot = this.#slot;
    for (const [oldest, other] of kept) {
      if (other === series || (kept.size <= most && !other.isOver(slot))) break;
      kept.delete(oldest);
    }
    return series;
  }
}

/** A ring of points, one after the other, with the fields of each beside each other. */
class Series {
  totals: Pick<proto.UseSeries.$Properties, "memoryTotalBytes" | "diskTotalBytes" | "gpuMemoryTotalBytes"> =
    {};
  readonly #fields: readonly Field[];
  readonly #points: Float32Array;
  /** The interval of the newest point. */
  #last = Number.NEGATIVE_INFINITY;

  constructor(fields: readonly Field[]) {
    this.#fields = fields;
    this.#points = new Float32Array(usePoints * fields.length).fill(Number.NaN);
  }

  get bytes(): number {
    return this.#points.byteLength;
  }

  set(slot: number, values: Partial<Record<Field, number>>): void {
    for (let gap = Math.max(this.#last + 1, slot - usePoints + 1); gap < slot; gap++)
      this.#fields.forEach((_, field) => {
        this.#points[this.#at(gap, field)] = Number.NaN;
      });
    this.#last = slot;
    this.#fields.forEach((name, field) => {
      this.#points[this.#at(slot, field)] = values[name] ?? Number.NaN;
    });
  }

  /** Whether all points have left the window. */
  isOver(slot: number): boolean {
    return this.#last <= slot - usePoints;
  }

  /** USE-2 */
  message(id: string, slot: number): proto.UseSeries.$Properties {
    const points = (field: number) =>
      Array.from({ length: usePoints }, (_, index) => this.#value(slot - usePoints + 1 + index, field));
    const named = this.#fields.map((name, field) => [name, points(field)] as const);
    // What no point tells, such as the GPUs of a node without any, is left out.
    const told = named.filter(([, values]) => values.some((value) => !Number.isNaN(value)));
    return { id, ...Object.fromEntries(told), ...this.totals };
  }

  /** Returns the values of a process that still reports, which may be one interval old. */
  newest(id: string, slot: number): proto.ProcessUse.$Properties[] {
    if (this.#last < slot - 2) return [];
    return [{ id, cpuPercent: this.#value(this.#last, 0), memoryBytes: this.#value(this.#last, 1) }];
  }

  #value(slot: number, field: number): number {
    if (slot > this.#last || slot <= this.#last - usePoints) return Number.NaN;
    return this.#points[this.#at(slot, field)] ?? Number.NaN;
  }

  #at(slot: number, field: number): number {
    return (slot % usePoints) * this.#fields.length + field;
  }
}

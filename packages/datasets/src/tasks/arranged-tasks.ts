import type { Task } from "@palimpsest/trajectories";
import { DatasetError } from "../error.js";
import type { TaskSet } from "./task-set.js";

export interface WeightedTasks {
  readonly tasks: TaskSet;
  /** Share of the positions, against the other weights; above 0. */
  readonly weight: number;
  /** Where the weight is said, for errors; default: "data, part 2 of 3". */
  readonly field?: string;
}

/** Positions of a mixed set: 80 MiB. */
const maxPositions = 2 ** 24;

/**
 * Several sets as one: at each position the next task of the set that is furthest behind its weight, of a set that
 * has run out again from its start. As many positions as the set takes that is asked for longest, so that every task of every set
 * is met; five bytes for each position, of which there are at most 16,777,216.
 * @throws {DatasetError} BAD_CONFIG for a weight that is not above 0 or too small for its set, or an empty set
 */
export function mixedTasks(parts: readonly WeightedTasks[]): TaskSet {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  for (const [at, part] of parts.entries()) refuseUnmixable(part, at, parts.length, total);
  const count = Math.max(...parts.map((part) => positionsOf(part, total)));
  const [partAt, indexAt] = [new Uint8Array(count), new Uint32Array(count)];
  const shares = parts.map(({ weight }) => weight / total);
  const taken = parts.map(() => 0);
  for (let position = 0; position < count; position++) {
    let [part, furthest] = [0, Number.NEGATIVE_INFINITY];
    for (let at = 0; at < shares.length; at++) {
      const behind = (shares[at] ?? 0) * (position + 1) - (taken[at] ?? 0);
      if (behind > furthest) [part, furthest] = [at, behind];
    }
    partAt[position] = part;
    indexAt[position] = taken[part] ?? 0;
    taken[part] = (taken[part] ?? 0) + 1;
  }
  return {
    count,
    open: async (position, signal) => {
      const part = partAt[position] ?? 0;
      const { tasks } = parts[part] as WeightedTasks;
      const task = await tasks.open((indexAt[position] ?? 0) % tasks.count, signal);
      // Two files may name their tasks alike.
      return { ...task, id: `${part + 1}/${task.id}` };
    },
    close: async () => {
      await Promise.all(parts.map(({ tasks }) => tasks.close()));
    },
  };
}

/** Until each of its tasks was met. */
function positionsOf({ weight, tasks }: WeightedTasks, total: number): number {
  return Math.ceil((tasks.count * total) / weight);
}

function refuseUnmixable(part: WeightedTasks, at: number, parts: number, total: number): void {
  const { weight, tasks, field = `data, part ${at + 1} of ${parts}` } = part;
  const refuse = (what: string) => new DatasetError("BAD_CONFIG", `${field}: ${what}`);
  if (!(weight > 0)) throw refuse(`has weight ${weight}; give one above 0`);
  if (tasks.count === 0) throw refuse("holds no task");
  const positions = positionsOf(part, total);
  if (positions <= maxPositions) return;
  const share = ((tasks.count / maxPositions) * 100).toPrecision(2);
  throw refuse(
    `weight ${weight} of ${total} meets each of its ${tasks.count} tasks after ${positions} questions, and a mixture has at most ${maxPositions}; give it ${share} % of the weights or more, or fewer tasks with \`limit\``,
  );
}

/**
 * A set from its shortest task to its longest; of equally long ones in the set's order. Every task is opened once for it, one
 * after the other; eight bytes for each stay.
 */
export async function shortFirst(set: TaskSet, signal?: AbortSignal): Promise<TaskSet> {
  const lengths = new Uint32Array(set.count);
  for (let position = 0; position < set.count; position++)
    lengths[position] = lengthOf(await set.open(position, signal));
  const order = Uint32Array.from({ length: set.count }, (_, position) => position);
  order.sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  return {
    count: set.count,
    open: (position, opened) => set.open(order[position] ?? position, opened),
    close: () => set.close(),
  };
}

/** Characters of what there is to read. */
function lengthOf(task: Task): number {
  return "document" in task ? task.document.length : JSON.stringify(task).length;
}

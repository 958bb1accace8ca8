import type { Task } from "@palimpsest/trajectories";
import { DatasetError } from "../error.js";
import type { TaskSet } from "./task-set.js";

export interface WeightedTasks {
  readonly tasks: TaskSet;
  /** Share of the positions, against the other weights; above 0. */
  readonly weight: number;
}

/**
 * Several sets as one: at each position the next task of the set that is furthest behind its weight, of a set that
 * has run out again from its start. As many positions as the set takes that is asked for longest, so that every task of every set
 * is met; five bytes for each position.
 * @throws {DatasetError} BAD_CONFIG for a weight that is not above 0, or an empty set
 */
export function mixedTasks(parts: readonly WeightedTasks[]): TaskSet {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  for (const [at, { weight, tasks }] of parts.entries()) {
    if (weight > 0 && tasks.count > 0) continue;
    const what = weight > 0 ? "holds no task" : `has weight ${weight}; give one above 0`;
    throw new DatasetError("BAD_CONFIG", `data, part ${at + 1} of ${parts.length}: ${what}`);
  }
  const count = Math.max(...parts.map(({ weight, tasks }) => Math.ceil((tasks.count * total) / weight)));
  const [partAt, indexAt] = [new Uint8Array(count), new Uint32Array(count)];
  const taken = parts.map(() => 0);
  for (let position = 0; position < count; position++) {
    const behind = parts.map(({ weight }, part) => (weight / total) * (position + 1) - (taken[part] ?? 0));
    const part = behind.indexOf(Math.max(...behind));
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

import type { Task } from "@palimpsest/trajectories";
import { DatasetError } from "../error.js";
import { keysOf, type TaskSet } from "./task-set.js";

/** One of several sets of tasks that are mixed, with its share. */
export interface WeightedTasks {
  readonly tasks: TaskSet;
  /** The set's share of the positions, relative to the other weights; above 0. */
  readonly weight: number;
  /** The name of this part in errors; default: "data, part 2 of 3". */
  readonly field?: string;
}

/** The largest number of positions of a mixed set, which then takes 80 MiB (5 bytes per position). */
const maxPositions = 2 ** 24;

/**
 * Mixes several sets into one. Each position has the next task of the set that is furthest behind its weight; a set
 * that is used up starts over. The mixture ends when every task of every set has occurred. It takes five bytes for each
 * position, of which there are at most 16,777,216.
 * @throws {DatasetError} BAD_CONFIG for a weight that is not above 0 or is too small for its set, or for an empty set
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
      // Two files may contain tasks with the same id.
      return { ...task, id: `${part + 1}/${task.id}` };
    },
    // Ids are not those of the files.
    questionKeyAt: (position) => {
      const { tasks } = parts[partAt[position] ?? 0] as WeightedTasks;
      return tasks.questionKeyAt?.((indexAt[position] ?? 0) % tasks.count) ?? Number.NaN;
    },
    close: async () => {
      await Promise.all(parts.map(({ tasks }) => tasks.close()));
    },
  };
}

/** Returns how many positions of the mixture it takes until each task of this set has occurred. */
function positionsOf({ weight, tasks }: WeightedTasks, total: number): number {
  return Math.ceil((tasks.count * total) / weight);
}

function refuseUnmixable(part: WeightedTasks, at: number, parts: number, total: number): void {
  const { weight, tasks, field = `data, part ${at + 1} of ${parts}` } = part;
  const refuse = (what: string) => new DatasetError("BAD_CONFIG", `${field}: ${what}`);
  if (!(weight > 0)) throw refuse(`weight is ${weight}; give one above 0`);
  if (tasks.count === 0) throw refuse("contains no task; leave this part out");
  const positions = positionsOf(part, total);
  if (positions <= maxPositions) return;
  const share = ((tasks.count / maxPositions) * 100).toPrecision(2);
  throw refuse(
    `weight ${weight} of ${total} reaches all of its ${tasks.count} tasks only after ${positions} questions, but a mixture has at most ${maxPositions}; give it at least ${share} % of the weights, or fewer tasks with \`limit\``,
  );
}

/**
 * Orders a set from its shortest to its longest task; equally long tasks stay in the set's order. Every task is opened
 * once for this, one after another. The order takes eight bytes per task.
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
    ...keysOf(set, (position) => order[position] ?? position),
    close: () => set.close(),
  };
}

/** Returns the number of characters that there are to read. */
function lengthOf(task: Task): number {
  return "document" in task ? task.document.length : JSON.stringify(task).length;
}

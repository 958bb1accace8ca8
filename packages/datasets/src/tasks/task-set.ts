import type { Task } from "@palimpsest/trajectories";
import { createRandom } from "@palimpsest/trajectories/random";

/**
 * The tasks of a run, opened one at a time: whoever holds a set holds places, not documents, so memory does not grow with
 * the data. The same position gives the same task for as long as the set is open.
 */
export interface TaskSet {
  readonly count: number;
  /**
   * @param position from 0, below `count`
   * @throws {DatasetError} UNREADABLE_FILE where the file has changed since it was opened; the signal's reason
   */
  open(position: number, signal?: AbortSignal): Promise<Task>;
  /** The `idKey` of a task, in sets that know it without opening the task. */
  idKeyAt?(position: number): number;
  /** Closes files. Closing twice does nothing. */
  close(): Promise<void>;
}

/** Tasks that are made when they are asked for: `make` gives the same task for the same position. */
export function generatedTasks(count: number, make: (position: number) => Task): TaskSet {
  return {
    count,
    open: async (position, signal) => {
      signal?.throwIfAborted();
      return make(position);
    },
    close: async () => undefined,
  };
}

/** The tasks of a set in an order that is drawn by a seed; four bytes for each task. */
export function shuffledTasks(set: TaskSet, seed: number | string): TaskSet {
  const order = Uint32Array.from({ length: set.count }, (_, position) => position);
  const random = createRandom(`${seed}/order`);
  for (let last = order.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    const kept = order[last] as number;
    order[last] = order[other] as number;
    order[other] = kept;
  }
  return {
    count: set.count,
    open: (position, signal) => set.open(order[position] ?? position, signal),
    ...(set.idKeyAt ? { idKeyAt: (position) => set.idKeyAt?.(order[position] ?? position) ?? 0 } : {}),
    close: () => set.close(),
  };
}

/** All tasks of a set at once, for sets that are small; closes the set. */
export async function allTasks(set: TaskSet, signal?: AbortSignal): Promise<Task[]> {
  try {
    const tasks: Task[] = [];
    for (let position = 0; position < set.count; position++) tasks.push(await set.open(position, signal));
    return tasks;
  } finally {
    await set.close();
  }
}

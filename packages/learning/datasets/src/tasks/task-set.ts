import { createRandom } from "@palimpsest/std/random";
import type { Task } from "@palimpsest/trajectories";

/**
 * The tasks of a run, opened one at a time. A set keeps positions instead of documents, so memory does not grow with
 * the length of the documents. A position gives the same task for as long as the set is open.
 */
export interface TaskSet {
  readonly count: number;
  /**
   * Opens a task.
   * @param position from 0, below `count`
   * @throws {DatasetError} UNREADABLE_FILE if the file has changed since it was opened; the signal's reason
   */
  open(position: number, signal?: AbortSignal): Promise<Task>;
  /** Returns the `idKey` of a task. Only sets that know it without opening the task have this method. */
  idKeyAt?(position: number): number;
  /** Returns the `questionKey` of a task. Only sets that know it without opening the task have this method. */
  questionKeyAt?(position: number): number;
  /** Closes the set's files. Closing it again does nothing. */
  close(): Promise<void>;
}

/**
 * Creates a set of tasks that are generated when they are opened.
 * @param make must return the same task for the same position
 */
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

/** Orders the tasks of a set by a seeded shuffle. The order takes four bytes per task. */
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
    ...keysOf(set, (position) => order[position] ?? position),
    close: () => set.close(),
  };
}

/** Returns the keys of a set whose tasks are at other positions, as far as it knows them. */
export function keysOf(
  set: TaskSet,
  placeOf: (position: number) => number,
): Pick<TaskSet, "idKeyAt" | "questionKeyAt"> {
  return {
    ...(set.idKeyAt ? { idKeyAt: (position) => set.idKeyAt?.(placeOf(position)) ?? 0 } : {}),
    ...(set.questionKeyAt
      ? { questionKeyAt: (position) => set.questionKeyAt?.(placeOf(position)) ?? 0 }
      : {}),
  };
}

/** Returns all tasks of a set, for sets that are small, and closes the set. */
export async function allTasks(set: TaskSet, signal?: AbortSignal): Promise<Task[]> {
  try {
    const tasks: Task[] = [];
    for (let position = 0; position < set.count; position++) tasks.push(await set.open(position, signal));
    return tasks;
  } finally {
    await set.close();
  }
}

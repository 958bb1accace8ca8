import { DatasetError } from "../error.js";
import type { TaskSet } from "../tasks/task-set.js";
import type { PassRates } from "./pass-rates.js";

export interface RateSelection {
  /** Questions whose rate is below it are left out. */
  readonly min: number;
  /** Questions whose rate is above it are left out. */
  readonly max: number;
  /** Absent: in the set's order. Questions of equal rate stay in the set's order. */
  readonly order?: "easy-first" | "hard-first" | undefined;
  /**
   * The set's file is the one that was rated, by its hash: ids are compared at the start, and a question's text when it is opened.
   * Default: every question is opened once at the start, which of a file of 4 GiB takes as long as reading it twice.
   */
  readonly isSameFile?: boolean | undefined;
}

/**
 * The questions of a set whose pass rate lies within bounds, ordered by rate;
 * four bytes for each question that stays are kept, and eight more for each of the set while they are ordered.
 * @throws {DatasetError} BAD_CONFIG where the rates are not those of the set's questions, or where they leave none of them, or where they
 * change nothing; the signal's reason
 */
export async function ratedTasks(
  set: TaskSet,
  rates: PassRates,
  { min, max, order, isSameFile = false }: RateSelection,
  signal?: AbortSignal,
): Promise<TaskSet> {
  const byId = isSameFile && set.idKeyAt !== undefined;
  const rateAt = await ratesOf(set, rates, byId, signal);
  const within = (position: number) => {
    const rate = rateAt[position] ?? Number.NaN;
    return rate >= min && rate <= max;
  };
  let count = 0;
  for (let position = 0; position < set.count; position++) if (within(position)) count++;
  const file = `of the ${set.count} questions that "${rates.path}" rates`;
  if (count === 0) {
    const [lowest, highest] = extremes(rateAt);
    throw bad(
      `min ${min} and max ${max}: leave none ${file}, from ${lowest} to ${highest}; set bounds that some of them lie in`,
    );
  }
  if (count === set.count && order === undefined) {
    throw bad(
      `min ${min} and max ${max}: leave none out ${file}, and order does not go by rates, so they would do nothing; narrow the bounds, set order to easy-first or hard-first, or leave passRates out`,
    );
  }
  const kept = new Uint32Array(count);
  for (let position = 0, at = 0; position < set.count; position++)
    if (within(position)) kept[at++] = position;
  const rateOf = (position: number) => rateAt[position] ?? 0;
  if (order === "easy-first") kept.sort((a, b) => rateOf(b) - rateOf(a) || a - b);
  if (order === "hard-first") kept.sort((a, b) => rateOf(a) - rateOf(b) || a - b);
  return {
    count,
    open: async (position, opened) => {
      const task = await set.open(kept[position] ?? position, opened);
      if (byId && typeof rates.of(task) !== "number") throw otherText(rates, 1, set.count, task.id);
      return task;
    },
    close: () => set.close(),
  };
}

/** By position. @throws {DatasetError} BAD_CONFIG */
async function ratesOf(
  set: TaskSet,
  rates: PassRates,
  byId: boolean,
  signal?: AbortSignal,
): Promise<Float64Array> {
  const rateAt = new Float64Array(set.count);
  const without = { absent: { count: 0, id: "" }, "other text": { count: 0, id: "" } };
  for (let position = 0; position < set.count; position++) {
    const key = byId ? set.idKeyAt?.(position) : undefined;
    const rate = key === undefined ? rates.of(await set.open(position, signal)) : rates.ofKey(key);
    if (typeof rate === "number") rateAt[position] = rate;
    else if (without[rate].count++ === 0) without[rate].id = (await set.open(position, signal)).id;
  }
  const { absent, "other text": changed } = without;
  if (absent.count === set.count)
    throw bad(
      `path: "${rates.path}" names none of the ${set.count} questions, such as "${absent.id}"; it was made from other data: ${fix}`,
    );
  if (changed.count > 0) throw otherText(rates, changed.count, set.count, changed.id);
  if (absent.count > 0)
    throw bad(
      `path: "${rates.path}" has no rate for ${absent.count} of ${set.count} questions, the first is "${absent.id}"; finish it with the \`palimpsest data rate\` that began it, or limit the data to what is rated`,
    );
  return rateAt;
}

function extremes(rates: Float64Array): readonly [lowest: number, highest: number] {
  return rates.reduce<readonly [number, number]>(
    ([lowest, highest], rate) => [Math.min(lowest, rate), Math.max(highest, rate)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

const fix = "measure them with `palimpsest data rate`";

function otherText({ path }: PassRates, changed: number, count: number, first: string): DatasetError {
  return bad(
    `path: "${path}" was made from other data: ${changed} of ${count} questions have another text than when they were rated, the first is "${first}"; ${fix}`,
  );
}

const bad = (message: string) => new DatasetError("BAD_CONFIG", message);

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
}

/**
 * The questions of a set whose pass rate lies within bounds, ordered by rate. Every task is opened once for it, one after the other;
 * four bytes for each question that stays are kept, and eight more for each of the set while they are ordered.
 * @throws {DatasetError} BAD_CONFIG where the rates are not those of the set's questions, or where they leave none of them, or where they
 * change nothing; the signal's reason
 */
export async function ratedTasks(
  set: TaskSet,
  rates: PassRates,
  { min, max, order }: RateSelection,
  signal?: AbortSignal,
): Promise<TaskSet> {
  const rateAt = await ratesOf(set, rates, signal);
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
    open: (position, opened) => set.open(kept[position] ?? position, opened),
    close: () => set.close(),
  };
}

/** By position. @throws {DatasetError} BAD_CONFIG */
async function ratesOf(set: TaskSet, rates: PassRates, signal?: AbortSignal): Promise<Float64Array> {
  const rateAt = new Float64Array(set.count);
  const without = { absent: { count: 0, id: "" }, "other text": { count: 0, id: "" } };
  for (let position = 0; position < set.count; position++) {
    const task = await set.open(position, signal);
    const rate = rates.of(task);
    if (typeof rate === "number") rateAt[position] = rate;
    else if (without[rate].count++ === 0) without[rate].id = task.id;
  }
  const { absent, "other text": changed } = without;
  const fix = "measure them with `palimpsest data rate`";
  if (absent.count === set.count)
    throw bad(
      `path: "${rates.path}" names none of the ${set.count} questions, such as "${absent.id}"; it was made from other data: ${fix}`,
    );
  if (changed.count > 0)
    throw bad(
      `path: "${rates.path}" was made from other data: ${changed.count} of ${set.count} questions have another text than when they were rated, the first is "${changed.id}"; ${fix}`,
    );
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

const bad = (message: string) => new DatasetError("BAD_CONFIG", message);

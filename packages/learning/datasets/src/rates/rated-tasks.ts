import { DatasetError } from "../error.js";
import { keysOf, type TaskSet } from "../tasks/task-set.js";
import type { PassRates } from "./pass-rates.js";

/** Which questions take part by their pass rate, and in which order. */
export interface RateSelection {
  /** Questions with a lower rate are left out. */
  readonly min: number;
  /** Questions with a higher rate are left out. */
  readonly max: number;
  /** The order by rate. Absent: the set's order. Questions with equal rates stay in the set's order. */
  readonly order?: "easy-first" | "hard-first" | undefined;
  /**
   * Whether the set's file has the hash of the file that was rated. Then only ids are compared at the start, and a
   * question's text is compared when it is opened. Default: false, with which every question is opened once at the
   * start; for a file of 4 GiB this takes as long as reading the file twice.
   */
  readonly isSameFile?: boolean | undefined;
}

/**
 * Selects the questions of a set whose pass rate is within bounds, and orders them by rate. It keeps four bytes per
 * selected question, and while ordering them eight more per question of the set.
 * @throws {DatasetError} BAD_CONFIG if the rates are not those of the set's questions, if the bounds leave no question,
 *   or if the selection changes nothing; the signal's reason
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
      `min ${min} and max ${max}: keep none ${file}, because their rates are from ${lowest} to ${highest}; set bounds that include some of these rates`,
    );
  }
  if (count === set.count && order === undefined) {
    throw bad(
      `min ${min} and max ${max}: exclude none ${file}, and order does not depend on rates either, so passRates would have no effect; narrow the bounds, set order to easy-first or hard-first, or leave passRates out`,
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
    ...keysOf(set, (position) => kept[position] ?? position),
    close: () => set.close(),
  };
}

/**
 * Returns the rates by position.
 * @throws {DatasetError} BAD_CONFIG
 */
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
      `path: "${rates.path}" rates none of the ${set.count} questions, such as "${absent.id}", so it was made from other data; ${fix}`,
    );
  if (changed.count > 0) throw otherText(rates, changed.count, set.count, changed.id);
  if (absent.count > 0)
    throw bad(
      `path: "${rates.path}" has no rate for ${absent.count} of ${set.count} questions, the first of which is "${absent.id}"; finish the file with the \`palimpsest data rate\` that began it, or limit the data to the rated questions`,
    );
  return rateAt;
}

function extremes(rates: Float64Array): readonly [lowest: number, highest: number] {
  return rates.reduce<readonly [number, number]>(
    ([lowest, highest], rate) => [Math.min(lowest, rate), Math.max(highest, rate)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

const fix = "rate these questions with `palimpsest data rate`";

function otherText({ path }: PassRates, changed: number, count: number, first: string): DatasetError {
  return bad(
    `path: "${path}" was made from other data: ${changed} of ${count} questions had another text when they were rated, the first of which is "${first}"; ${fix}`,
  );
}

const bad = (message: string) => new DatasetError("BAD_CONFIG", message);

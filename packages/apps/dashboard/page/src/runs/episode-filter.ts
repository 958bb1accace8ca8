/** Filters episodes. The address contains the filter, so that a link can contain one. */
import { isRight } from "../../../src/analysis/episode-pairs.js";
import type { EpisodeRow } from "../../../src/api/runs.js";

export interface EpisodeFilter {
  readonly words: string;
  /** "" for any step. */
  readonly step: string;
  /** The edges of a bin of the histogram; "" for any reward. */
  readonly reward: string;
  readonly only: string;
  /** What played the episode; "" for anything. */
  readonly origin: string;
  /** `name|end|lostAt`; "" for any. */
  readonly loss: string;
}

export function filterOf(query: URLSearchParams): EpisodeFilter {
  const of = (name: string) => query.get(name) ?? "";
  return {
    words: of("q"),
    step: of("step"),
    reward: of("reward"),
    only: of("only"),
    origin: of("by"),
    loss: of("loss"),
  };
}

/** An episode without a reward has neither failed nor succeeded. */
export const isFailed = (row: Pick<EpisodeRow, "reward" | "failure">) =>
  (row.failure !== undefined || row.reward !== undefined) && !isRight(row);

const texts = new WeakMap<EpisodeRow, string>();

/** Returns the text that is searched for words. It is built once for each row. */
function textOf(row: EpisodeRow): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const { question, answer, id, agent, failure = "", discarded = "" } = row;
  const text = `${question} ${answer} ${id} ${agent} ${failure} ${discarded}`.toLowerCase();
  texts.set(row, text);
  return text;
}

/** Builds these texts ahead of the first typed word, which would otherwise have to build them for all rows at once. */
export function prepareWords(rows: readonly EpisodeRow[]): void {
  for (const row of rows) textOf(row);
}

export const lossKey = (lane: {
  readonly name: string;
  readonly end: string;
  readonly lostAt?: number | undefined;
}) => `${lane.name}|${lane.end}|${lane.lostAt ?? ""}`;

export function filtered(rows: readonly EpisodeRow[], filter: EpisodeFilter): readonly EpisodeRow[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const [from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY] =
    filter.reward === "" ? [] : filter.reward.split("_").map(Number);
  return rows.filter((row) => {
    if (filter.origin !== "" && row.origin !== filter.origin) return false;
    if (filter.step !== "" && row.step !== Number(filter.step)) return false;
    if (filter.reward !== "" && !(row.reward !== undefined && row.reward >= from && row.reward < to))
      return false;
    if (filter.only === "failed" && !isFailed(row)) return false;
    if (filter.only === "discarded" && row.failure === undefined && row.discarded === undefined) return false;
    if (filter.loss !== "" && !row.lanes.some((lane) => lossKey(lane) === filter.loss)) return false;
    return words.length === 0 || words.every((word) => textOf(row).includes(word));
  });
}

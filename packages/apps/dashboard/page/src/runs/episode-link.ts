/** The address of an episode contains its index, and its id, which finds the episode when the index has changed. */
import type { EpisodeRow } from "../../../src/api/runs.js";
import { linkTo } from "../data/route.js";

type Named = Pick<EpisodeRow, "at" | "id">;

/** @param query the values that the address keeps, such as the list's filter */
export function episodeLink(run: string, { at, id }: Named, query: URLSearchParams): string {
  return linkTo(["runs", run, "episode", String(at)], { ...Object.fromEntries(query), id });
}

/**
 * Returns the row of an address. It is found by the id when the index has changed, because a run has removed the traces
 * of old steps. An address without an id has only the index.
 */
export function rowAt<Row extends Named>(rows: readonly Row[], at: number, id: string): Row | undefined {
  const row = rows[at];
  return id === "" || row?.id === id ? row : rows.find((one) => one.id === id);
}

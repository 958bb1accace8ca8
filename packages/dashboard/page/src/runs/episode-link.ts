/** The address of an episode: its index, and its id, which finds it again when the index has changed. */
import type { EpisodeRow } from "../../../src/api/runs.js";
import { linkTo } from "../data/route.js";

type Named = Pick<EpisodeRow, "at" | "id">;

/** @param query what the address keeps, such as the filter of the list */
export function episodeLink(run: string, { at, id }: Named, query: URLSearchParams): string {
  return linkTo(["runs", run, "episode", String(at)], { ...Object.fromEntries(query), id });
}

/**
 * Returns the row of an address. Indices change when a run removes the traces of its old steps; an address without an
 * id has the index alone.
 */
export function rowAt<Row extends Named>(rows: readonly Row[], at: number, id: string): Row | undefined {
  const row = rows[at];
  return id === "" || row?.id === id ? row : rows.find((one) => one.id === id);
}

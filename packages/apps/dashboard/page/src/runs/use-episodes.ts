/** Loads all rows of a run's episodes page by page, and new ones as they arrive. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type EpisodeRow, episodesSchema } from "../../../src/api/runs.js";
import { episodesAtOnce } from "../../../src/api/static-name.js";
import { getJson } from "../data/fetch.js";
import { messageOf, noticeRefusal } from "../data/session.js";
import { isStatic } from "../data/static.js";
import { prepareWords } from "./episode-filter.js";

const restMs = 3_000;
const busyMs = 150;
const longestMs = 30_000;

export interface Known {
  readonly run: string;
  readonly rows: readonly EpisodeRow[];
  readonly readBytes: number;
  readonly allBytes: number;
  /** Whether the server is reading more rows. */
  readonly reading: boolean;
  readonly generation: number;
  readonly problems: readonly string[];
  readonly error: string;
  /** Whether the first answer has arrived. */
  readonly asked: boolean;
  /** Whether all rows that existed at the last answer were loaded. */
  readonly complete: boolean;
}

const nothing: Omit<Known, "run"> = {
  rows: [],
  readBytes: 0,
  allBytes: 0,
  reading: false,
  generation: -1,
  problems: [],
  error: "",
  asked: false,
  complete: false,
};

/** Rows of the current run, so that returning from an episode to the list loads nothing again. */
const known = signal<Known>({ run: "", ...nothing });

export function useEpisodes(run: string): Known {
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let asking = false;
    let over = false;
    /** Rows of a newer generation, which are shown once they are complete: the page keeps its rows meanwhile. */
    let next: Pick<Known, "generation" | "rows"> | undefined;
    if (known.value.run !== run) known.value = { run, ...nothing };
    // An exported folder does not change, so its rows are loaded only once.
    if (isStatic && known.value.complete) return undefined;
    const ask = async () => {
      let waitMs = restMs;
      clearTimeout(timer);
      if (asking || controller.signal.aborted) return;
      asking = true;
      try {
        const before = next ?? known.value;
        const path = `/runs/${encodeURIComponent(run)}/episodes?from=${before.rows.length}&limit=${episodesAtOnce}`;
        const answer = await getJson(path, episodesSchema, controller.signal);
        const { total, readBytes, allBytes, reading, generation, problems } = answer;
        failures = 0;
        const isOther = generation !== before.generation && before.rows.length > 0;
        const rows = isOther ? [] : answer.rows.length === 0 ? before.rows : [...before.rows, ...answer.rows];
        prepareWords(answer.rows);
        const isWhole = !isOther && rows.length >= total;
        const complete = isWhole && !reading;
        const told = { run, readBytes, allBytes, reading, problems, error: "", asked: true };
        next = isOther || (next !== undefined && !isWhole) ? { generation, rows } : undefined;
        known.value = next ? { ...known.value, ...told } : { ...told, rows, generation, complete };
        if (!isWhole) waitMs = 0;
        else if (reading) waitMs = busyMs;
        // All rows of an exported folder are loaded.
        else if (isStatic) {
          over = true;
          return;
        }
      } catch (reason) {
        if (controller.signal.aborted) return;
        noticeRefusal(reason);
        known.value = { ...known.value, error: messageOf(reason), asked: true };
        waitMs = Math.min(longestMs, restMs * 2 ** failures++);
      } finally {
        asking = false;
      }
      if (!controller.signal.aborted && !document.hidden) timer = setTimeout(() => void ask(), waitMs);
    };
    const seen = () => {
      if (!document.hidden && !over) void ask();
    };
    document.addEventListener("visibilitychange", seen);
    void ask();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [run]);
  return known.value.run === run ? known.value : { run, ...nothing };
}

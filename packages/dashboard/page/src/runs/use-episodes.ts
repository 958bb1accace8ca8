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
  readonly generation: number;
  readonly problems: readonly string[];
  readonly error: string;
  /** Whether the first answer has arrived. */
  readonly asked: boolean;
}

const nothing: Omit<Known, "run"> = {
  rows: [],
  readBytes: 0,
  allBytes: 0,
  generation: -1,
  problems: [],
  error: "",
  asked: false,
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
    if (known.value.run !== run) known.value = { run, ...nothing };
    // An exported folder does not change.
    if (
      isStatic &&
      known.value.asked &&
      known.value.rows.length > 0 &&
      known.value.readBytes === known.value.allBytes
    )
      return undefined;
    const ask = async () => {
      let waitMs = restMs;
      clearTimeout(timer);
      if (asking || controller.signal.aborted) return;
      asking = true;
      try {
        const before = known.value;
        const path = `/runs/${encodeURIComponent(run)}/episodes?from=${before.rows.length}&limit=${episodesAtOnce}`;
        const answer = await getJson(path, episodesSchema, controller.signal);
        const same = answer.generation === before.generation || before.rows.length === 0;
        const { readBytes, allBytes, generation, problems } = answer;
        const rows = !same ? [] : answer.rows.length === 0 ? before.rows : [...before.rows, ...answer.rows];
        prepareWords(answer.rows);
        failures = 0;
        known.value = { run, rows, readBytes, allBytes, generation, problems, error: "", asked: true };
        if (!same || rows.length < answer.total) waitMs = 0;
        else if (readBytes < allBytes) waitMs = busyMs;
        // Everything is loaded.
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

/** Loads whole episodes on demand. */
import { type Trace, traceSchema } from "@palimpsest/evals/trace-schema";
import { getJson } from "../data/fetch.js";

/** Opened episodes, so that stepping back and forth loads nothing twice. */
const opened = new Map<string, Promise<Trace>>();
const mostOpened = 50;

export async function openEpisode(run: string, at: number, generation: number): Promise<Trace> {
  const key = `${run}/${at}/${generation}`;
  const path = `/runs/${encodeURIComponent(run)}/episodes/${at}${generation < 0 ? "" : `?generation=${generation}`}`;
  const trace = opened.get(key) ?? getJson(path, traceSchema);
  opened.delete(key);
  opened.set(key, trace);
  trace.catch(() => opened.delete(key));
  for (const oldest of opened.keys()) {
    if (opened.size <= mostOpened) break;
    opened.delete(oldest);
  }
  return await trace;
}

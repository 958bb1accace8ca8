/** Loads whole episodes on demand. */
import { type FactLane, factLanes } from "@palimpsest/evals/microscope";
import { type Trace, traceSchema } from "@palimpsest/evals/trace-schema";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { getJson } from "../data/fetch.js";
import { messageOf, noticeRefusal } from "../data/session.js";

/** The most recently opened episodes are cached, so that stepping back and forth loads nothing twice. */
const opened = new Map<string, Promise<Trace>>();
/** Those of the cached episodes that have arrived, which a page can render at once. */
const arrived = new Map<string, Trace>();
const mostOpened = 50;
const retryMs = 5_000;

const keyOf = (run: string, at: number, generation: number) => `${run}/${at}/${generation}`;

export async function openEpisode(run: string, at: number, generation: number): Promise<Trace> {
  const key = keyOf(run, at, generation);
  const path = `/runs/${encodeURIComponent(run)}/episodes/${at}${generation < 0 ? "" : `?generation=${generation}`}`;
  const known = opened.get(key);
  const trace = known ?? getJson(path, traceSchema);
  opened.delete(key);
  opened.set(key, trace);
  if (known === undefined)
    trace.then(
      (value) => {
        if (opened.get(key) === trace) arrived.set(key, value);
      },
      () => opened.delete(key),
    );
  for (const oldest of opened.keys()) {
    if (opened.size <= mostOpened) break;
    opened.delete(oldest);
    arrived.delete(oldest);
  }
  return await trace;
}

/** Returns a cached episode; undefined when it has not arrived yet. */
function arrivedEpisode(run: string, at: number, generation: number): Trace | undefined {
  return arrived.get(keyOf(run, at, generation));
}

interface Asked {
  readonly key: string;
  readonly generation: number;
  readonly trace: Trace | undefined;
  readonly error: string;
}

/**
 * Returns an episode once it has arrived. A cached one is returned in the first render, so that the page does not
 * become empty between two episodes or while an episode gets another index.
 * @param id the episode's id; "" accepts whichever episode has the index
 */
export function useEpisode(
  run: string,
  at: number,
  generation: number,
  id: string,
): Pick<Asked, "trace" | "error"> {
  const key = keyOf(run, at, generation);
  const asked = useSignal<Asked>({ key: "", generation, trace: undefined, error: "" });
  const early = arrivedEpisode(run, at, generation);
  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      try {
        const trace = await openEpisode(run, at, generation);
        if (!over) asked.value = { key, generation, trace, error: "" };
      } catch (reason) {
        noticeRefusal(reason);
        if (over) return;
        asked.value = { key, generation, trace: undefined, error: messageOf(reason) };
        timer = setTimeout(() => void load(), retryMs);
      }
    };
    void load();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [key]);
  const { value } = asked;
  const wanted = (trace: Trace | undefined) => (id === "" || trace?.trajectoryId === id ? trace : undefined);
  if (value.key === key) return { trace: wanted(value.trace), error: value.error };
  const before = id !== "" && value.generation !== generation ? value.trace : undefined;
  return { trace: wanted(early) ?? wanted(before), error: "" };
}

const lanes = new WeakMap<Trace, { readonly phrase: string; readonly lanes: readonly FactLane[] }>();

/** Returns the lanes of an episode. They are cached, because the episode's page and its group show the same lanes. */
export function lanesOf(trace: Trace, phrase: string): readonly FactLane[] {
  const known = lanes.get(trace);
  if (known?.phrase === phrase) return known.lanes;
  const made = factLanes(trace, phrase === "" ? [] : [phrase]);
  lanes.set(trace, { phrase, lanes: made });
  return made;
}

/** Counts the lanes of many episodes, to show where a run loses what its answers need. */
import type { Trace } from "../trace/trace-schema.js";
import { type FactLane, factLanes, type LaneEnd } from "./fact-lanes.js";

/** The part of a lane that an index of episodes stores. */
export interface LaneSummary {
  readonly name: string;
  readonly end: LaneEnd;
  /** Index of the step in the episode; absent when nothing was lost. */
  readonly lostAt?: number;
  /** Index of the first step whose memory contains the fact; absent when none does. */
  readonly writtenAt?: number;
  /** The number of steps of the episode. */
  readonly steps: number;
  readonly recalledAfter: boolean;
  readonly answered: boolean;
}

/** Returns where each needed fact of an episode has ended. */
export function laneSummaries(trace: Trace): LaneSummary[] {
  return factLanes(trace).map(summaryOf);
}

function summaryOf({ fact, steps, end, lostAt, recalledAfter, answered }: FactLane): LaneSummary {
  const writtenAt = steps.findIndex(({ memory }) => memory !== "no");
  return {
    name: fact.name,
    end,
    recalledAfter,
    answered,
    steps: steps.length,
    ...(lostAt === undefined ? {} : { lostAt }),
    ...(writtenAt < 0 ? {} : { writtenAt }),
  };
}

/** An episode as the losses of a run count it. */
export interface CountedEpisode {
  /** True when the episode earned less than it should have. */
  readonly failed: boolean;
  readonly lanes: readonly (Pick<LaneSummary, "name" | "end"> & { readonly lostAt?: number | undefined })[];
}

/** A place where facts are lost, and in how many episodes. */
export interface LossPlace {
  readonly name: string;
  readonly end: LaneEnd;
  /** Undefined for facts that no step read. */
  readonly lostAt: number | undefined;
  readonly failures: number;
  readonly successes: number;
  /** Fraction of all failures. */
  readonly share: number;
}

/** Ranks places of loss by how many failures they explain: "62 % of failures lose the first hop at step 3". */
export function lossPlaces(episodes: Iterable<CountedEpisode>): {
  readonly episodes: number;
  readonly failures: number;
  readonly places: readonly LossPlace[];
} {
  const places = new Map<string, { -readonly [Field in keyof LossPlace]: LossPlace[Field] }>();
  let all = 0;
  let failures = 0;
  for (const { failed, lanes } of episodes) {
    all += 1;
    if (failed) failures += 1;
    for (const { name, end, lostAt } of lanes) {
      if (end === "kept") continue;
      const key = `${name}|${end}|${lostAt ?? ""}`;
      const place = places.get(key) ?? { name, end, lostAt, failures: 0, successes: 0, share: 0 };
      if (failed) place.failures += 1;
      else place.successes += 1;
      places.set(key, place);
    }
  }
  const ranked = [...places.values()].map((place) => ({
    ...place,
    share: failures === 0 ? 0 : place.failures / failures,
  }));
  ranked.sort((a, b) => b.failures - a.failures || b.successes - a.successes);
  return { episodes: all, failures, places: ranked };
}

/** Describes a place of loss in one sentence. */
export function lossSentence({ name, end, lostAt, share }: LossPlace): string {
  const percent = `${Math.round(100 * share)} % of failures`;
  const at = lostAt === undefined ? "" : ` at step ${lostAt + 1}`;
  if (end === "lost") return `${percent} lose the ${name}${at}`;
  if (end === "missed") return `${percent} read the ${name}${at} and do not keep it`;
  if (end === "unseen") return `${percent} never read the ${name}`;
  return `${percent} never have the ${name} in a memory`;
}

import { createEmbedder, embedderConfigSchema, MemoryStore, StoreBases } from "@palimpsest/memory";
import type { MemoryRecord, Probe } from "@palimpsest/trajectories";
import { words } from "@palimpsest/trajectories/text";
import { z } from "zod";
import type { RewardDependencies } from "./dependencies.js";
import { type StoreStates, storeStates } from "./memupdate/store-states.js";
import type { TrajectoryReward } from "./reward-kind.js";

/** Settings of which records a probe is answered from. */
const foundSchema = z.discriminatedUnion("by", [
  z.strictObject({
    by: z
      .literal("words")
      .describe("the records that have the most words in common with the question, including ties"),
  }),
  z.strictObject({
    by: z.literal("search").describe("the records that the search of the agent's tools retrieves"),
    topK: z.int().min(1).max(100).default(1).describe("number of records that are retrieved for a question"),
    embedder: embedderConfigSchema.prefault({ kind: "hashed" }).describe("embedder of that search"),
    denseWeight: z
      .number()
      .min(0)
      .max(1)
      .default(0.2)
      .describe("weight of the embedding similarity in that search's score, from 0 to 1; BM25 has the rest"),
  }),
]);

/** Settings of a reward for small stores of short facts, which needs no model to read them. */
export const storeProbesRewardSchema = z.strictObject({
  name: z
    .literal("store-probes")
    .describe("fraction of the shown probes that the store answers, minus faulty calls and needless changes"),
  faultPenalty: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe("penalty for each call that was malformed, failed or refused"),
  changePenalty: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe("penalty for each change of the store after the first, so that needless changes do not pay"),
  found: foundSchema
    .prefault({ by: "words" })
    .describe("how the records are chosen from which a probe is answered"),
});
type StoreProbesConfig = z.output<typeof storeProbesRewardSchema>;

/**
 * Asks the store its probes after the episode. A probe is answered from the records that `found` selects, by default
 * those that share the most words with its question. Its score is the fraction of these that contain the answer, so
 * that a stale record beside the right one costs half. The reward counts shown probes only. Components: `shown`,
 * `heldOut` (mean scores), `gain` (shown, relative to the store before), `faults` (calls without effect), `unchanged`
 * (1 when the store did not change), `needless` (changes after the first).
 * @throws {RewardError} NO_STORE
 */
export function storeProbesReward(
  { faultPenalty, changePenalty, found }: StoreProbesConfig,
  dependencies: RewardDependencies = {},
): TrajectoryReward {
  const findings = findingsBy(found, dependencies);
  return async (task, episode, options) => {
    const states = storeStates(task, episode);
    const { before, after } = await findings(states, options?.signal);
    const probes = task.probes ?? [];
    const shownProbes = probes.filter(({ heldOut }) => !heldOut);
    const shown = await meanScore(shownProbes, after);
    const { malformed_calls = 0, failed_calls = 0, refused_calls = 0 } = episode.counters ?? {};
    const faults = malformed_calls + failed_calls + refused_calls;
    const { diff } = states;
    const changes = diff.created.length + diff.updated.length + diff.deleted.length;
    const needless = Math.max(0, changes - 1);
    return {
      reward: shown - faultPenalty * faults - changePenalty * needless,
      components: {
        shown,
        heldOut: await meanScore(
          probes.filter(({ heldOut }) => heldOut),
          after,
        ),
        gain: shown - (await meanScore(shownProbes, before)),
        faults,
        unchanged: changes === 0 ? 1 : 0,
        needless,
      },
    };
  };
}

async function meanScore(probes: readonly Probe[], find: Find): Promise<number> {
  const scores = await Promise.all(
    probes.map(async ({ question, answers }) => shareHolding(await find(question), answers)),
  );
  return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
}

/** Returns the contents of the records from which a question is answered. */
type Find = (question: string) => readonly string[] | Promise<readonly string[]>;

type Findings = (
  states: StoreStates,
  signal: AbortSignal | undefined,
) => Promise<{ readonly before: Find; readonly after: Find }>;

function findingsBy(found: StoreProbesConfig["found"], { embedder }: RewardDependencies): Findings {
  if (found.by === "words") {
    const find = (records: readonly MemoryRecord[]): Find => {
      const texts = records.map(({ content }) => content);
      return (question) => closest(question, texts);
    };
    return async ({ before, after }) => ({ before: find(before), after: find(after) });
  }
  const { topK, denseWeight } = found;
  const bases = new StoreBases(embedder ?? createEmbedder(found.embedder));
  return async ({ before, diff }, signal) => {
    const base = await bases.baseOf(before, signal);
    const changed = new MemoryStore(base);
    await changed.apply(diff, signal);
    const find =
      (store: MemoryStore): Find =>
      async (question) => {
        const hits = await store.search(question, { topK, denseWeight }, signal);
        return hits.map(({ record }) => record.content);
      };
    return { before: find(new MemoryStore(base)), after: find(changed) };
  };
}

/** Returns the texts that share the most words with the question; none when no text shares a word. */
function closest(question: string, texts: readonly string[]): readonly string[] {
  const asked = new Set(words(question));
  const shared = texts.map((text) => new Set(words(text).filter((word) => asked.has(word))).size);
  const most = shared.reduce((known, count) => Math.max(known, count), 0);
  return most === 0 ? [] : texts.filter((_, at) => shared[at] === most);
}

/** Returns the fraction of the texts that contain an answer; 0 for no texts. */
function shareHolding(texts: readonly string[], answers: readonly string[]): number {
  const holding = texts.filter((text) => answers.some((answer) => holds(text, answer)));
  return holding.length / Math.max(1, texts.length);
}

/** Compares word by word: "dan" does not occur in "dana". */
function holds(text: string, answer: string): boolean {
  const known = new Set(words(text));
  return words(answer).every((word) => known.has(word));
}

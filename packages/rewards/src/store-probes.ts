import type { MemoryRecord, Probe } from "@palimpsest/trajectories";
import { z } from "zod";
import { storeStates } from "./memupdate/store-states.js";
import type { TrajectoryReward } from "./trajectory-reward.js";

/** A reward for small stores of short facts, which needs no model to read them. */
export const storeProbesRewardSchema = z.strictObject({
  name: z
    .literal("store-probes")
    .describe("share of the shown probes that the store answers, less faulty calls and needless changes"),
  faultPenalty: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe("taken off for each call that was malformed, failed or refused"),
  changePenalty: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe(
      "taken off for each change of the store beside the first: without it changes are made for their own sake",
    ),
});

/**
 * Asks the store its probes after the episode. A probe is answered from the records that share most words with its
 * question; its score is the share of these that hold the answer, so that a stale record beside the right one costs half.
 * The reward counts shown probes only. Components: `shown`, `heldOut` (mean scores), `gain` (shown, against the store
 * before), `faults` (calls that came to nothing), `unchanged` (1 where the store is as it was), `needless` (changes beside the
 * first).
 * @throws {RewardError} NO_STORE
 */
export function storeProbesReward({
  faultPenalty,
  changePenalty,
}: z.output<typeof storeProbesRewardSchema>): TrajectoryReward {
  return (task, episode) => {
    const { before, after } = storeStates(task, episode);
    const probes = task.probes ?? [];
    const shownProbes = probes.filter(({ heldOut }) => !heldOut);
    const shown = meanScore(shownProbes, after);
    const { malformed_calls = 0, failed_calls = 0, refused_calls = 0 } = episode.counters ?? {};
    const faults = malformed_calls + failed_calls + refused_calls;
    const { created = [], updated = [], deleted = [] } = episode.storeDiff ?? {};
    const changes = created.length + updated.length + deleted.length;
    const needless = Math.max(0, changes - 1);
    return {
      reward: shown - faultPenalty * faults - changePenalty * needless,
      components: {
        shown,
        heldOut: meanScore(
          probes.filter(({ heldOut }) => heldOut),
          after,
        ),
        gain: shown - meanScore(shownProbes, before),
        faults,
        unchanged: changes === 0 ? 1 : 0,
        needless,
      },
    };
  };
}

function meanScore(probes: readonly Probe[], records: readonly MemoryRecord[]): number {
  if (probes.length === 0) return 0;
  const texts = records.map(({ content }) => content);
  return probes.reduce((sum, probe) => sum + probeScore(probe, texts), 0) / probes.length;
}

/** Share of the best matching texts that hold an answer; 0 where no text shares a word with the question. */
export function probeScore({ question, answers }: Probe, texts: readonly string[]): number {
  const asked = new Set(wordsOf(question));
  const shared = texts.map((text) => new Set(wordsOf(text).filter((word) => asked.has(word))).size);
  const most = Math.max(0, ...shared);
  if (most === 0) return 0;
  const best = texts.filter((_, at) => shared[at] === most);
  return best.filter((text) => answers.some((answer) => holds(text, answer))).length / best.length;
}

/** Word by word: "dan" is not in "dana". */
function holds(text: string, answer: string): boolean {
  const words = new Set(wordsOf(text));
  return wordsOf(answer).every((word) => words.has(word));
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

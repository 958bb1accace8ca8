import { createEmbedder, MemoryStore, type StoreBase, StoreBases } from "@palimpsest/memory";
import type { Probe, Score, Task } from "@palimpsest/trajectories";
import type { RewardDependencies } from "../dependencies.js";
import { RewardError } from "../error.js";
import { locomoF1, pricedLocomoF1 } from "../locomo/answer-f1.js";
import type { ScoredEpisode, TrajectoryReward } from "../reward-kind.js";
import type { MemUpdateReleasedConfig, MemUpdateRewardConfig } from "./config.js";
import { memoryEfficiency, storeSize } from "./efficiency.js";
import { releasedReward } from "./released.js";
import { type RetrievalBudget, retrievalBudget } from "./retrieved-lines.js";
import { categoryOf, type StoreScore, storeScore } from "./store-score.js";
import { type StoreStates, storeStates } from "./store-states.js";
import { writtenSupport } from "./support.js";

const contentsOf = (records: StoreStates["before"]) => records.map(({ content }) => content);

/**
 * Computes the original's reward: change of the keyword score of the task's own question times efficiency. Components
 * have the original's names where it has some.
 */
export function memUpdateReleasedReward({ maxTotalMemories }: MemUpdateReleasedConfig): TrajectoryReward {
  return (task, episode) => {
    const { before, after } = storeStates(task, episode);
    const [answer] = task.answers;
    if (answer === undefined) {
      throw new RewardError(
        "NO_GROUND_TRUTH",
        `answers of task ${task.id}: is empty, but memupdate-released scores the task's own answer; prepare the data with --asked 1 and without adversarial questions, or use the reward memupdate`,
      );
    }
    const probe = { question: task.question, answer };
    const ours = releasedReward(contentsOf(before), contentsOf(after), probe, maxTotalMemories);
    return {
      reward: ours.reward,
      components: {
        memory_reward: ours.reward,
        initial_memory_count: before.length,
        final_memory_count: after.length,
        scoreOld: ours.scoreOld,
        scoreNew: ours.scoreNew,
        delta: ours.scoreNew - ours.scoreOld,
        efficiency: ours.efficiency.efficiency,
        sizeFactor: ours.efficiency.size,
        densityFactor: ours.efficiency.density,
        changeFactor: ours.efficiency.change,
      },
    };
  };
}

/**
 * Computes the value that the change of a store has for shown and held-out questions. The old and the new store are
 * separate snapshots, each searched by itself. With weights w:
 * reward = w.shown · gain(shown) + w.heldOut · gain(held out) + w.answer · F1 of the agent's answer
 *          − w.unsupported · unsupported fraction − w.overBudget · excess − penalties of calls
 * The reader of a store gets what the search retrieves within `retrievedTokens`, so that longer records bring nothing.
 * gain = mean over questions of s(new) − s(old), where an improvement is multiplied by efficiency and counts nothing
 * when the store is above its budget, and damage counts in full. s is set by `score`. Questions that it cannot score
 * are left out and counted.
 * @throws {RewardError} from the reward: NO_STORE, NO_PROBES, UNREACHABLE, BAD_REPLY
 */
export function memUpdateReward(
  config: MemUpdateRewardConfig,
  dependencies: RewardDependencies,
): TrajectoryReward {
  const bases = new StoreBases(dependencies.embedder ?? createEmbedder(config.embedder));
  const score = remembered(storeScore(config, dependencies));
  return async (task, episode, options) => {
    const signal = options?.signal;
    const states = storeStates(task, episode);
    const { diff } = states;
    const base = await bases.baseOf(states.before, signal);
    const changed = new MemoryStore(base);
    await changed.apply(diff, signal);
    const usual = retrievalBudget(states.before);
    const budget = { ...usual, mostTokens: config.retrievedTokens ?? usual.mostTokens };
    const unchanged = diff.created.length + diff.updated.length + diff.deleted.length === 0;
    const change = async (probe: Probe): Promise<Change | null> => {
      const old = await score.ofBase(base, probe, budget, signal);
      if (old === null || unchanged) return old === null ? null : { old, new: old };
      const now = await score.ofStore(changed, probe, budget, signal);
      return now === null ? null : { old, new: now };
    };
    const all = probesOf(task);
    const shown = await gather(
      all.filter(({ heldOut }) => !heldOut),
      change,
    );
    const heldOut = await gather(
      all.filter((probe) => probe.heldOut),
      change,
    );
    if (shown.count + heldOut.count === 0) {
      throw new RewardError(
        "NO_PROBES",
        `probes of task ${task.id}: score.by "${config.score.by}" cannot score any of the ${all.length} questions; give some that have answers, or set score.by to answer or judge`,
      );
    }
    return weigh(config, { task, episode, states, shown, heldOut, asked: all.length });
  };
}

interface Change {
  readonly old: number;
  readonly new: number;
}

/** Means over the questions of one kind. */
interface Gathered extends Change {
  readonly count: number;
}

async function gather(
  probes: readonly Probe[],
  change: (probe: Probe) => Promise<Change | null>,
): Promise<Gathered> {
  const changes = (await Promise.all(probes.map(change))).filter((each) => each !== null);
  const mean = (of: (each: Change) => number) =>
    changes.length === 0 ? 0 : changes.reduce((sum, each) => sum + of(each), 0) / changes.length;
  return { old: mean((each) => each.old), new: mean((each) => each.new), count: changes.length };
}

/** Returns the questions of a task. A task without probes asks its own question. */
function probesOf({ question, answers, metadata, probes = [] }: Task): readonly Probe[] {
  if (probes.length > 0) return probes;
  const category = metadata["category"];
  return [{ question, answers, heldOut: false, ...(typeof category === "string" ? { category } : {}) }];
}

interface Scored {
  readonly task: Task;
  readonly episode: ScoredEpisode;
  readonly states: StoreStates;
  readonly shown: Gathered;
  readonly heldOut: Gathered;
  readonly asked: number;
}

function weigh(config: MemUpdateRewardConfig, scored: Scored): Score {
  const { states, shown, heldOut, episode } = scored;
  const { before, after, diff } = states;
  const { weights } = config;
  const most = config.maxTotalMemories ?? Math.max(100, Math.ceil(before.length * 1.25));
  const { efficiency } = memoryEfficiency(storeSize(contentsOf(before)), storeSize(contentsOf(after)), most);
  const finalTokens = estimatedTokens(after);
  const budget = config.budgetTokens ?? Math.max(2048, Math.ceil(estimatedTokens(before) * 1.25));
  const overBudget = Math.min(1, Math.max(0, finalTokens - budget) / budget);
  const gainOf = (each: Gathered) => gain(each.new - each.old, config.efficiency, efficiency, overBudget > 0);
  const support = writtenSupport(before, diff);
  const malformedCalls = episode.counters?.["malformed_calls"] ?? 0;
  const failedCalls = (episode.counters?.["failed_calls"] ?? 0) + (episode.counters?.["refused_calls"] ?? 0);
  const callPenalty = Math.min(
    config.maxCallPenalty,
    weights.malformedCall * malformedCalls + weights.failedCall * failedCalls,
  );
  const answerF1 = ownAnswerF1(scored);
  const reward =
    weights.shown * gainOf(shown) +
    weights.heldOut * gainOf(heldOut) +
    weights.answer * answerF1 -
    weights.unsupported * support.unsupported -
    weights.overBudget * overBudget -
    callPenalty;
  return {
    reward,
    components: {
      memory_reward: reward,
      initial_memory_count: before.length,
      final_memory_count: after.length,
      finalTokens,
      shownOld: shown.old,
      shownNew: shown.new,
      shownGain: gainOf(shown),
      heldOutOld: heldOut.old,
      heldOutNew: heldOut.new,
      heldOutGain: gainOf(heldOut),
      efficiency,
      overBudget,
      unsupported: support.unsupported,
      unknownSources: support.unknownSources,
      written: support.written,
      answerF1,
      malformedCalls,
      failedCalls,
      callPenalty,
      unscoredProbes: scored.asked - shown.count - heldOut.count,
    },
  };
}

function gain(
  delta: number,
  kind: MemUpdateRewardConfig["efficiency"],
  efficiency: number,
  overBudget: boolean,
): number {
  if (delta > 0 && overBudget) return 0;
  if (kind === "none") return delta;
  if (kind === "all") return delta * efficiency;
  return delta > 0 ? delta * Math.min(1, efficiency) : delta;
}

/**
 * Returns the F1 of what the agent itself answered to the task's question; 0 when it gave no answer. For a task that
 * asks several questions it is their mean: such a task has no answers of its own, which does not make it adversarial.
 */
function ownAnswerF1({ task, episode }: Scored): number {
  const { answer } = episode;
  if (answer === "") return 0;
  const shown = (task.probes ?? []).filter(({ heldOut }) => !heldOut);
  if (task.answers.length > 0 || shown.length < 2) return answerF1Of(task, answer);
  const each = shown.map(({ answers, category = "" }) =>
    answerF1Of({ answers, metadata: { category } }, answer),
  );
  return each.reduce((sum, value) => sum + value, 0) / each.length;
}

function answerF1Of({ answers, metadata }: Pick<Task, "answers" | "metadata">, answer: string): number {
  const category = categoryOf({ answers, category: String(metadata["category"] ?? "") });
  if (category === "adversarial") return locomoF1(category, answer, null);
  return Math.max(...answers.map((gold) => pricedLocomoF1(category, answer, gold)));
}

const mostRemembered = 8192;

/** Caches scores of initial stores, which every episode of a group needs. */
function remembered(score: StoreScore) {
  const known = new Map<string, number | null>();
  return {
    ofStore: score,
    async ofBase(
      base: StoreBase,
      probe: Probe,
      budget: RetrievalBudget,
      signal?: AbortSignal,
    ): Promise<number | null> {
      const { question, answers, category = "" } = probe;
      const key = JSON.stringify([base.hash, question, answers, category]);
      const found = known.get(key);
      if (found !== undefined) return found;
      const made = await score(new MemoryStore(base), probe, budget, signal);
      known.set(key, made);
      for (const oldest of known.keys()) {
        if (known.size <= mostRemembered) break;
        known.delete(oldest);
      }
      return made;
    },
  };
}

/** Estimates the tokens of all contents together at 4 bytes of UTF-8 each, without a tokenizer. */
function estimatedTokens(records: StoreStates["before"]): number {
  return records.reduce((sum, { content }) => sum + Math.ceil(Buffer.byteLength(content) / 4), 0);
}

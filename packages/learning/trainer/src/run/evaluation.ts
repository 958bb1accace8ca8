/** Responsibility: the evaluations of a training run: their questions, and the policy as a system of the suite runner, whose
 *  episodes the run's rollout actors play.
 *  Not responsible for: retries, failures and seeds (the runner); how results are presented (report-run.ts). */

import type { ActorHandle } from "@palimpsest/client";
import type { TaskSet } from "@palimpsest/datasets";
import {
  type EvalItem,
  type Evaluation,
  evaluateLengths,
  itemOfTask,
  openDocument,
  type System,
  type Trace,
  taskOfItem,
} from "@palimpsest/evals";
import { openRulerTasks } from "@palimpsest/small-world";
import { delay } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type { AnswerRequest, RolloutActor } from "../actors/rollout-actor.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { recipeTasks } from "../recipe/recipe-tasks.js";

const engineAgainMs = 1_000;

/** Questions of one length. */
export interface LengthTasks {
  readonly lengthTokens: number;
  readonly tasks: TaskSet;
}

/**
 * Opens the questions of each length of a recipe's evaluation, the same for before and after; the caller closes them.
 * @throws {PalimpsestError} CONFIG_INVALID; the signal's reason
 */
export async function openEvaluation(recipe: Recipe, signal?: AbortSignal): Promise<readonly LengthTasks[]> {
  const { evaluation } = recipe;
  if (!evaluation) return [];
  const { source, files = [] } = evaluation;
  if (source === undefined) {
    const lengths: LengthTasks[] = [];
    try {
      for (const [place, { path, lengthTokens }] of files.entries()) {
        const data = { source: "jsonl", path, limit: evaluation.tasks } as const;
        lengths.push({ lengthTokens, tasks: await recipeTasks(`evaluation.files[${place}]`, data, signal) });
      }
      return lengths;
    } catch (reason) {
      await closeEvaluation(lengths);
      throw reason;
    }
  }
  const base = source.sentences;
  if (typeof base !== "number") {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      "evaluation.source.sentences: must be one number, the training length, which `lengths` multiply",
    );
  }
  return evaluation.lengths.map((factor) => ({
    lengthTokens: base * factor * source.sentenceTokens,
    tasks: openRulerTasks({
      ...source,
      sentences: base * factor,
      count: evaluation.tasks,
      seed: `${evaluation.seed}/${factor}`,
    }),
  }));
}

export async function closeEvaluation(lengths: readonly LengthTasks[]): Promise<void> {
  for (const { tasks } of lengths) await tasks.close();
}

/** The items of one length; their documents are read when they are used. */
async function lengthItems({ lengthTokens, tasks }: LengthTasks, signal?: AbortSignal): Promise<EvalItem[]> {
  const items: EvalItem[] = [];
  for (let position = 0; position < tasks.count; position++) {
    const item = itemOfTask(await tasks.open(position, signal), lengthTokens);
    const fingerprint = `${lengthTokens}/${position}/${item.id}`;
    items.push({
      ...item,
      document: { fingerprint, open: async () => (await tasks.open(position, signal)).document },
    });
  }
  return items;
}

export interface EvaluationRun {
  readonly rollouts: readonly ActorHandle<RolloutActor>[];
  readonly recipe: Recipe;
  readonly lengths: readonly LengthTasks[];
  /** The version whose weights must give every answer. */
  readonly policyVersion: number;
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
  /** Receives the traces of the first questions of each length once all are answered; absent: none are made. */
  readonly onTraces?: (traces: readonly Trace[]) => Promise<void>;
}

/** The number of questions of each length whose episodes are kept as traces. */
export const tracedPerLength = 8;

/**
 * Evaluates every length, with its questions spread over the rollout actors; lengths run one after another, so that their times
 * can be compared.
 * @throws {PalimpsestError} STALE_POLICY if an answer was given by another version than the evaluated one
 */
export async function evaluate(run: EvaluationRun): Promise<Evaluation> {
  const { recipe, rollouts, signal } = run;
  const { evaluation, agent, rollout } = recipe;
  if (!evaluation) throw new PalimpsestError("INTERNAL", "the recipe has no evaluation");
  const total = evaluation.samples * run.lengths.reduce((sum, { tasks }) => sum + tasks.count, 0);
  const others = new Set<string>();
  const traces = new Map<string, Trace>();
  const lengths = await evaluateLengths({
    suite: recipe.name,
    system: policySystem(run, evaluation, traces, (version) => others.add(version)),
    lengths: run.lengths.map((length) => ({
      lengthTokens: length.lengthTokens,
      items: () => lengthItems(length, signal),
    })),
    samples: evaluation.samples,
    concurrency: rollout.concurrency * rollouts.length,
    seed: evaluation.seed,
    signal,
    onProgress: (done) => run.onProgress(done, total),
    peakRssBytes: async () =>
      Math.max(...(await Promise.all(rollouts.map(async (actor) => (await actor.stats()).peakRssBytes)))),
  });
  if (others.size > 0) {
    throw new PalimpsestError(
      "STALE_POLICY",
      `the evaluation of policy version ${run.policyVersion} is discarded, because ${[...others].join(", ")} gave some of the answers`,
    );
  }
  const inOrder = [...traces.entries()].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  await run.onTraces?.(inOrder.map(([, trace]) => trace));
  return { agent: agent.kind, temperature: evaluation.temperature, seed: evaluation.seed, lengths };
}

/** The policy as a system: each question goes to the rollout actor with the fewest in progress. */
function policySystem(
  run: EvaluationRun,
  { temperature, topP }: Pick<NonNullable<Recipe["evaluation"]>, "temperature" | "topP">,
  traces: Map<string, Trace>,
  onOther: (version: string) => void,
): System {
  const { rollouts, recipe, policyVersion } = run;
  const underWay = rollouts.map(() => 0);
  return {
    name: recipe.agent.kind,
    settings: { policyVersion },
    async answer(item, { signal, seed }) {
      const task = taskOfItem(item, await documentOf(item));
      const traced = tracedIds(run, item);
      const request = {
        task,
        temperature,
        ...(topP === undefined ? {} : { topP }),
        seed,
        minPolicyVersion: policyVersion,
        ...(traced ? { traced } : {}),
      };
      for (;;) {
        const place = underWay.indexOf(Math.min(...underWay));
        const actor = rollouts[place] as ActorHandle<RolloutActor>;
        underWay[place] = (underWay[place] ?? 0) + 1;
        try {
          const { prediction, began, ended, trace } = await actor.with({ signal }).answer(request);
          for (const version of [began, ended]) if (version !== policyVersion) onOther(`version ${version}`);
          // Of several samples of a question one is enough to look at.
          if (trace?.groupId !== undefined && !traces.has(trace.groupId)) traces.set(trace.groupId, trace);
          return prediction;
        } catch (reason) {
          if (!isEngineAway(reason)) throw reason;
          // Its count stays up meanwhile, so that the other actors are tried first.
          await delay(engineAgainMs, signal);
          signal.throwIfAborted();
        } finally {
          underWay[place] = (underWay[place] ?? 0) - 1;
        }
      }
    },
  };
}

/** Evaluations of one question are a group, whose episodes differ in the version that answered. */
function tracedIds({ onTraces, policyVersion }: EvaluationRun, item: EvalItem): AnswerRequest["traced"] {
  if (onTraces === undefined || typeof item.document === "string") return undefined;
  const { fingerprint } = item.document;
  const [, position] = fingerprint.split("/");
  if (Number(position) >= tracedPerLength) return undefined;
  const groupId = `evaluation/${fingerprint}`;
  return { trajectoryId: `${groupId}/version-${policyVersion}`, groupId };
}

/** Returns whether the actor's engine is down; another actor may be able to answer. */
function isEngineAway(reason: unknown): boolean {
  const cause = reason instanceof PalimpsestError ? reason.cause : undefined;
  return cause instanceof PalimpsestError && cause.code === "UNAVAILABLE";
}

async function documentOf(item: EvalItem): Promise<string> {
  const document = await openDocument(item);
  if (typeof document === "string") return document;
  throw new PalimpsestError(
    "INTERNAL",
    `question ${item.id} has a document in pieces, which an agent of a run cannot read; this is a bug in Palimpsest`,
  );
}

/**
 * Responsibility: the steps of one run: offers groups to the learner, runs evaluations between steps, and reports.
 * Not responsible for: which groups are in flight (groups/), training them (actors/).
 */

import type { ActorHandle } from "@palimpsest/client";
import type { TaskSet } from "@palimpsest/datasets";
import type { GroupRequest, RunQueues } from "@palimpsest/trajectories";
import type { RolloutActor } from "../actors/rollout-actor.js";
import { groupRequest } from "../groups/group-requests.js";
import { GroupSchedule, type ScheduleState } from "../groups/group-schedule.js";
import { GroupsInFlight } from "../groups/groups-in-flight.js";
import { shortageNotice } from "../groups/teaching-groups.js";
import { refillsOf } from "../recipe/async-settings.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { categoriesOf } from "../records/category-rewards.js";
import type { StepReport, TrainListener } from "../records/event.js";
import type { StepResult } from "../records/step-result.js";
import type { TracedTask } from "../records/step-traces.js";
import type { TrainingEvaluations } from "../records/training-evaluations.js";
import { whenDiskHasSpace } from "../run-folder/disk-full.js";
import type { RunFolder } from "../run-folder/run-folder.js";
import { waitingFor } from "./disk-waiting.js";
import { restartActor } from "./restart-actor.js";
import type { RunActors } from "./run-actors.js";
import { untilTaken } from "./step-attempts.js";
import { stepReport } from "./step-report.js";

export interface StepsOptions {
  readonly recipe: Recipe;
  /** Shuffles the rewards within each step. */
  readonly shuffleRewards: boolean;
  readonly onEvent: TrainListener;
  readonly signal: AbortSignal;
  readonly folder: RunFolder;
  /** Kind of the agent that runs the episodes. */
  readonly agentName: string;
  readonly tasks: TaskSet;
  readonly queues: RunQueues;
  readonly actors: RunActors;
  readonly evaluations: TrainingEvaluations;
  /** Number of steps that the learner has already completed. */
  readonly start: number;
  /** State of the schedule after them, if steps have windows. */
  readonly schedule: ScheduleState | undefined;
  /** The learner's result of the last of them. */
  readonly answered: StepResult | undefined;
}

/** The loop: dispatch, train, report. */
export async function trainSteps(options: StepsOptions): Promise<StepReport[]> {
  const { recipe, queues, actors, folder, evaluations, signal, onEvent, shuffleRewards } = options;
  const { steps, maxStaleness } = recipe.train;
  const reports: StepReport[] = [];
  const sampler = samplerProgress(actors.rollouts);
  // Tokens sampled by the evaluation must not count toward the first step.
  await sampler.sample(0);
  const learner = actors.learner.with({ signal, timeoutMs: recipe.train.stopWhenStuckMs });
  const inFlight = groupsInFlight(options);
  let groupsStale = 0;
  onEvent({ kind: "phase", phase: "training", total: steps });
  const { answered } = options;
  if (answered !== undefined && answered.step > folder.lastMetricsStep()) {
    // The previous driver ended after the learner's answer but before it wrote the report, so the sampling speed is unknown.
    const rollout = { seconds: answered.waitSeconds, tokensPerSecond: 0 };
    const counts = await queues.ledger.counts();
    const report = stepReport(answered, { steps, counts, groupsStale, rollout });
    reports.push(report);
    await whenDiskHasSpace(() => folder.appendMetrics(report), waitingFor(folder.path, onEvent, signal));
    onEvent({ kind: "step", report });
  }
  for (let step = options.start + 1; step <= steps; step++) {
    signal.throwIfAborted();
    const startedAt = performance.now();
    const version = step - 1;
    if (evaluations.mayStopAt(version)) await evaluations.at(version, signal);
    if (evaluations.stopped) break;
    let besideSeconds = 0;
    if (evaluations.isDue(version)) {
      // Rollout actors already sample the next episodes during it, under the same version until the learner trains, so that none idles.
      const evaluatedAt = performance.now();
      await inFlight.offer();
      await evaluations.at(version, signal);
      besideSeconds = (performance.now() - evaluatedAt) / 1000;
    }
    /** Redis can lose its last second of writes: groups whose dispatch it lost are dispatched again, the others are left alone. */
    async function trainStep(): Promise<StepResult> {
      for (;;) {
        const { requests, asked } = await inFlight.offer();
        const categories = categoriesOf(requests);
        const answer = await learner.trainStep({
          step,
          ...asked,
          shuffleRewards,
          ...(categories ? { categories } : {}),
          ...(recipe.train.keepTraces > 0 ? { tasks: tracedTasks(requests) } : {}),
        });
        if (!("undispatched" in answer)) return answer;
        const { undispatched, stale = [], rejected = [] } = answer;
        await inFlight.lost(undispatched);
        await inFlight.stale(stale);
        await inFlight.rejected(rejected);
        groupsStale += stale.length;
        const what = [
          ...(undispatched.length > 0
            ? [
                `${undispatched.length} groups of step ${step} were lost by Redis and have been dispatched again`,
              ]
            : []),
          ...(stale.length > 0
            ? [
                `${stale.length} groups became too stale for step ${step} and have been replaced by the next questions`,
              ]
            : []),
        ];
        if (what.length > 0) onEvent({ kind: "notice", text: what.join("; ") });
      }
    }
    const result = await untilTaken(trainStep, {
      restartLearner: () => restartActor(actors.learner, signal),
      onAgain: ({ message }) =>
        onEvent({ kind: "notice", text: `step ${step} is run again from the last checkpoint: ${message}` }),
      signal,
    });
    inFlight.stepDone(result.taken?.schedule);
    const shortage = shortageNotice(result, recipe.train);
    if (shortage !== undefined) onEvent({ kind: "notice", text: shortage });
    const [why] = result.episodeFailures;
    if (why !== undefined) onEvent({ kind: "notice", text: `an episode of step ${step} failed: ${why}` });
    const seconds = result.waitSeconds + besideSeconds;
    // With asynchronous steps, sampling goes on during the whole step.
    const sampledSeconds = maxStaleness === 0 ? seconds : (performance.now() - startedAt) / 1000;
    const report = stepReport(result, {
      steps,
      counts: await queues.ledger.counts(),
      groupsStale,
      rollout: { seconds, tokensPerSecond: await sampler.sample(sampledSeconds) },
    });
    reports.push(report);
    await whenDiskHasSpace(() => folder.appendMetrics(report), waitingFor(folder.path, onEvent, signal));
    onEvent({ kind: "step", report });
  }
  return reports;
}

function groupsInFlight({
  recipe,
  folder,
  tasks,
  agentName,
  queues,
  start,
  schedule,
  signal,
}: StepsOptions): GroupsInFlight {
  const { groupsPerStep, maxStaleness, staleGroups, stopWhenStuckMs } = recipe.train;
  const refills = refillsOf(recipe.train);
  const order = { runId: folder.runId, recipe, tasks, agentName };
  return new GroupsInFlight({
    schedule: new GroupSchedule({ ...recipe.train, refills }, start, schedule),
    groupsPerStep,
    maxStaleness,
    staleGroups,
    refills,
    open: (group) => groupRequest(order, group, signal),
    dispatch: (groups, dispatchOptions) => queues.dispatchGroups(groups, dispatchOptions),
    signal,
    timeoutMs: stopWhenStuckMs,
  });
}

/** Tasks without their documents, which have already been sent to the rollout actors. */
function tracedTasks(groups: readonly GroupRequest[]): TracedTask[] {
  const tasks = new Map(groups.map(({ task }) => [task.id, task]));
  return [...tasks.values()].map(({ id, question, answers, metadata }) => ({
    id,
    question,
    answers,
    metadata,
  }));
}

const statsTimeoutMs = 5_000;

/** Tracks the sampled tokens of all rollout actors. The count of a restarted actor begins at zero again. */
function samplerProgress(rollouts: readonly ActorHandle<RolloutActor>[]) {
  const known = rollouts.map(() => 0);
  return {
    /** Returns the sampled tokens per second since the last call, over `seconds` of rollout. */
    async sample(seconds: number): Promise<number> {
      let sampled = 0;
      await Promise.all(
        rollouts.map(async (handle, index) => {
          try {
            const { sampledTokens } = await handle.with({ timeoutMs: statsTimeoutMs, retries: 0 }).stats();
            const before = known[index] ?? 0;
            sampled += sampledTokens >= before ? sampledTokens - before : sampledTokens;
            known[index] = sampledTokens;
          } catch {
            // An actor that died while it was asked is skipped, because its restarted process is counted at the next step.
          }
        }),
      );
      return seconds > 0 ? sampled / seconds : 0;
    },
  };
}

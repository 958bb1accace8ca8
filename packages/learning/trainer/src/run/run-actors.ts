import type { ActorHandle, ActorOptions, Cluster } from "@palimpsest/client";
import { delay } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import { LearnerActor } from "../actors/learner-actor.js";
import { RewardActor } from "../actors/reward-actor.js";
import { RolloutActor } from "../actors/rollout-actor.js";
import type { ProcessMemory } from "../records/process-memory.js";
import { actorsModule, type RunSpec, rewardModule } from "../records/run-spec.js";

/** The actors of one run. */
export interface RunActors {
  readonly rollouts: readonly ActorHandle<RolloutActor>[];
  readonly rewards: readonly ActorHandle<RewardActor>[];
  readonly learner: ActorHandle<LearnerActor>;
}

/** Long enough for an actor to come back from a crash, and to load weights of that many bytes on a busy machine. */
const readyTimeoutMs = 600_000;
const loadBytesPerMs = 10_000;
const nameRetryMs = 250;

/** Spawns every actor of a run and waits until all of them are ready. All of them are restarted after a crash. */
export async function spawnRunActors(
  cluster: Cluster,
  spec: RunSpec,
  signal: AbortSignal,
): Promise<RunActors> {
  const { recipe } = spec;
  const engineMs = recipe.rollout.engine?.startTimeoutMs ?? 0;
  const timeoutMs = readyTimeoutMs + engineMs + Math.ceil(spec.weightsBytes / loadBytesPerMs);
  const source = { module: actorsModule };
  // Learner and reward actors have async methods, and rely on one call ending before the next begins.
  const common = { maxRestarts: -1, maxTaskRetries: -1, maxConcurrency: 1 };
  const of = (role: string, resources: Record<string, number>, more: ActorOptions = {}): ActorOptions => ({
    ...common,
    role,
    resources: Object.fromEntries(Object.entries(resources).filter(([, quantity]) => quantity > 0)),
    ...more,
  });
  const learnerType = cluster.actor(
    LearnerActor,
    source,
    of(
      "learner",
      { cpu: recipe.learnerCpus, gpu: recipe.learnerGpus },
      // The run's ledger has an epoch of its own, so a second learner takes nothing from the first and may keep
      // running.
      { name: `${spec.runId}:learner`, fence: "none" },
    ),
  );
  const rolloutType = cluster.actor(
    RolloutActor,
    source,
    // Rollout actors answer as many questions of an evaluation at once as they run episodes of training; the additional
    // slots are for queries of their counters.
    of(
      "rollout",
      { cpu: recipe.rollout.cpus, gpu: recipe.rollout.gpus },
      { maxConcurrency: recipe.rollout.concurrency + 4 },
    ),
  );
  const rewardType = cluster.actor(
    RewardActor,
    { module: rewardModule },
    of("reward", { cpu: recipe.reward.cpus }),
  );
  /** A run has one learner: that of an earlier driver, whose end the head may not know yet, has to end first. */
  const spawnLearner = async () => {
    const deadlineAt = performance.now() + timeoutMs;
    for (;;) {
      try {
        return await learnerType.spawn(spec);
      } catch (reason) {
        const taken = PalimpsestError.from(reason).code === "ALREADY_EXISTS";
        if (!taken || performance.now() > deadlineAt) throw reason;
        await delay(nameRetryMs, signal);
        signal.throwIfAborted();
      }
    }
  };
  const [learner, rollouts, rewards] = await Promise.all([
    spawnLearner(),
    Promise.all(Array.from({ length: recipe.rollout.actors }, (_, place) => rolloutType.spawn(spec, place))),
    Promise.all(Array.from({ length: recipe.reward.actors }, () => rewardType.spawn(spec))),
  ]);
  // A learner may have to replay steps before it is ready, for which it gets the time after which a step counts as
  // stuck.
  const repeatingMs = recipe.train.checkpointEverySteps > 1 ? recipe.train.stopWhenStuckMs : 0;
  await Promise.all([
    learner.ready({ timeoutMs: timeoutMs + repeatingMs }),
    ...[...rollouts, ...rewards].map((handle) => handle.ready({ timeoutMs })),
  ]);
  return { learner, rollouts, rewards };
}

const memoryTimeoutMs = 15_000;

/** Returns the memory that the processes of the learner and the rollout actors have used, for those that answer. */
export async function memoryOf({
  learner,
  rollouts,
}: RunActors): Promise<{ learner: ProcessMemory | undefined; rollouts: ProcessMemory[] }> {
  const options = { timeoutMs: memoryTimeoutMs, retries: 0 };
  const ask = async (answer: Promise<ProcessMemory>) => await answer.catch(() => undefined);
  const [ofLearner, ...ofRollouts] = await Promise.all([
    ask(learner.with(options).memory()),
    ...rollouts.map((handle) => ask(handle.with(options).memory())),
  ]);
  return { learner: ofLearner, rollouts: ofRollouts.filter((memory) => memory !== undefined) };
}

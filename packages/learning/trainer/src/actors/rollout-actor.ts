/**
 * Responsibility: runs episodes of a memory agent on an in-process sampler or an engine: those of the rollout queue, and evaluations.
 * Not responsible for: scoring for training, choosing tasks, deciding when weights change.
 *
 * ROLLOUTACTOR-1 (T5). An episode begins under weights of at least the version that its group asked for, proved by hash.
 * ROLLOUTACTOR-2, ROLLOUTACTOR-3: rollout-weights.ts.
 */
import { type Agent, type AgentTask, toTrajectory } from "@palimpsest/agents";
import type { ActorContext } from "@palimpsest/client";
import {
  type Prediction,
  rewardedPrediction,
  type Trace,
  type TracedEpisode,
  traceEpisode,
} from "@palimpsest/evals";
import { type Backend, loadBackend } from "@palimpsest/jit";
import type { BpeTokenizer, ModelSampler } from "@palimpsest/model";
import { type TrajectoryReward, trajectoryReward } from "@palimpsest/rewards";
import type { Episode, RunQueues, Score, Task, Trajectory } from "@palimpsest/trajectories";
import * as proto from "@palimpsest/wire/protocol";
import { ownSampler, samplerThreads } from "../engines/own-sampler.js";
import type { PolicySampler } from "../engines/policy-sampler.js";
import { RolloutEngine } from "../engines/rollout-engine.js";
import type { LoadedModules } from "../modules/load-module.js";
import { fetchModules } from "../modules/recipe-modules.js";
import { decodeModelText, openModelText } from "../parts/model-text.js";
import { agentEmbedder, type OpenedEmbedder, openEmbedder } from "../parts/open-embedder.js";
import { type OpenedDependencies, rewardDependencies } from "../parts/reward-dependencies.js";
import { rolloutAgent } from "../parts/rollout-agent.js";
import { checkFitsGpu } from "../plan/plan-gpu.js";
import { type ProcessMemory, peakRssBytes, processMemory } from "../records/process-memory.js";
import { openRunQueues } from "../records/run-queues.js";
import type { RunSpec } from "../records/run-spec.js";
import { holdLasting, lastingObjects } from "../weights/lasting-objects.js";
import { followWeights } from "./newest-weights.js";
import { RolloutWeights } from "./rollout-weights.js";
import { exportSampler } from "./sampler-metrics.js";

export interface RolloutStats {
  readonly sampledTokens: number;
  readonly prefillTokens: number;
  readonly secondsBusy: number;
  readonly policyVersion: number;
  readonly weightsHash: string;
  readonly backend: string;
  readonly peakRssBytes: number;
}

/** A question of an evaluation, and the minimum version of the weights that answer it. */
export interface AnswerRequest {
  readonly task: Task;
  readonly temperature: number;
  /** Absent: the agent's own. */
  readonly topP?: number;
  readonly seed: number;
  readonly minPolicyVersion: number;
  /** The ids of the episode's trace; absent: none is made. */
  readonly traced?: Pick<Trace, "trajectoryId" | "groupId">;
}

export interface Answer {
  readonly prediction: Prediction;
  /** Version of the weights when the episode started. */
  readonly began: number;
  readonly ended: number;
  readonly trace?: Trace;
}

/** Traces of longer documents leave out what each step read, so that an evaluation of very long ones fills no disk. */
const mostTracedCharacters = 200_000;

/** The actor that samples a run's episodes with the newest published weights. */
export class RolloutActor {
  readonly #spec: RunSpec;
  readonly #place: number;
  #context!: ActorContext;
  #queues!: RunQueues;
  #sampler!: PolicySampler;
  /** The inference server, if the sampler is one. */
  #engine: RolloutEngine | undefined;
  #exporter: { close(): void } | undefined;
  #dependencies: Promise<OpenedDependencies> | undefined;
  #embedder: OpenedEmbedder | undefined;
  #weights!: RolloutWeights;
  #agent!: Agent;
  #tokenizer!: BpeTokenizer;
  #backend!: Backend;

  /** @param place index among the run's rollout actors, which is also the index of its engine */
  constructor(spec: RunSpec, place = 0) {
    this.#spec = spec;
    this.#place = place;
  }

  async start(context: ActorContext): Promise<void> {
    const { recipe } = this.#spec;
    const { rollout } = recipe;
    this.#context = context;
    const cluster = await context.connect();
    // The GPU that the actor leases belongs to the engine.
    const device = rollout.gpus > 0 && rollout.engine === undefined ? "gpu" : "auto";
    const backend = await loadBackend({ ...samplerThreads(rollout), device });
    if (backend.gpuUnused !== undefined && rollout.engine === undefined)
      context.logger.warn(backend.gpuUnused);
    checkFitsGpu(recipe, this.#spec.model, backend.gpuMemoryBytes);
    this.#backend = backend;
    const initial = proto.WeightManifest.decode(this.#spec.initialWeights);
    this.#queues = await openRunQueues(context, cluster, this.#spec);
    const lasting = lastingObjects(this.#spec.text, initial, this.#spec.modules);
    await holdLasting(context.objects, lasting, { signal: context.signal });
    const modelText = decodeModelText(await context.objects.get(this.#spec.text));
    const { tokenizer, chat } = openModelText(modelText, this.#spec.startedAtMs);
    this.#tokenizer = tokenizer;
    this.#weights = new RolloutWeights({
      model: this.#spec.model,
      initial,
      context,
      queues: this.#queues,
      sampler: () => this.#sampler,
    });
    let own: ModelSampler | undefined;
    if (rollout.engine === undefined) {
      const sampler = await ownSampler(
        backend,
        this.#spec.model,
        recipe,
        await this.#weights.startingLayers(),
      );
      this.#exporter = exportSampler(context.metrics, sampler);
      this.#sampler = sampler;
      own = sampler;
      context.logger.info(
        sampler.precision,
        `the sampler computes matrix products in ${sampler.precision.precision}`,
      );
    } else {
      this.#engine = await RolloutEngine.open(rollout.engine, this.#place, this.#spec, {
        tokenizer,
        context,
      });
      this.#sampler = this.#engine.sampler;
    }
    const { agent: module } = await this.#modules("agent");
    this.#embedder = await openEmbedder(agentEmbedder(recipe.agent, module), {
      environment: context.environment,
      backend,
    });
    const { embedder } = this.#embedder;
    this.#agent = rolloutAgent(recipe, {
      sampler: this.#sampler,
      tokenizer,
      ...(chat ? { chat } : {}),
      ...(embedder ? { embedder } : {}),
      ...(module ? { module } : {}),
    });
    if (recipe.train.maxStaleness > 0) {
      await followWeights({
        queues: this.#queues,
        load: (policyVersion) => this.#weights.ensure(policyVersion),
        onLate: (err, policyVersion) =>
          context.logger.warn(
            { err, policyVersion },
            "loading the announced weights failed; the next episode loads them",
          ),
      });
    }
    await this.#queues.onComingWeights((bytes) => {
      this.#weights
        .foretold(bytes)
        .catch((err: unknown) =>
          context.logger.warn({ err }, "weights that are being stored were not fetched"),
        );
    });
    const consume = () =>
      this.#queues.consumeRollouts({
        concurrency: rollout.concurrency,
        run: (episode, signal) => {
          const run = () => this.#run(episode, signal);
          return this.#engine === undefined ? run() : this.#engine.run(run, signal);
        },
      });
    if (this.#engine === undefined) await consume();
    else
      await this.#engine.follow(consume, () =>
        this.#engine?.sampler.setAdapters === undefined
          ? this.#weights.starting()
          : this.#weights.startingLayers(),
      );
    // Compiles while the learner starts, since each function takes seconds on a GPU.
    void own?.prepare().catch((err: unknown) => {
      context.logger.warn({ err }, "warm-up failed; functions are compiled when they are first used");
    });
  }

  async stop(): Promise<void> {
    this.#exporter?.close();
    await this.#queues?.close();
    await this.#sampler?.close();
    await this.#embedder?.close();
    const dependencies = await this.#dependencies?.catch(() => undefined);
    await dependencies?.close();
  }

  /** The run's reward; resources that it opens live as long as the actor. */
  async #reward(): Promise<TrajectoryReward> {
    const { config } = this.#spec.recipe.reward;
    const { environment } = this.#context;
    this.#dependencies ??= this.#modules("reward").then(({ reward }) =>
      rewardDependencies(config, environment, reward),
    );
    return trajectoryReward(config, await this.#dependencies);
  }

  #modules(role: "agent" | "reward"): Promise<LoadedModules> {
    return fetchModules(this.#context.objects, this.#spec.modules, [role]);
  }

  /** Returns the peak memory of this process and its GPU. */
  memory(): ProcessMemory {
    return processMemory(this.#backend);
  }

  stats(): RolloutStats {
    const { sampledTokens, prefillTokens, secondsBusy } = this.#sampler.stats;
    return {
      sampledTokens,
      prefillTokens,
      secondsBusy,
      policyVersion: this.#sampler.policyVersion,
      weightsHash: this.#sampler.weightsHash,
      backend: this.#backend.name,
      peakRssBytes: peakRssBytes(),
    };
  }

  /**
   * Runs one episode of an evaluation, and scores it by the run's reward, which sees the whole record as it does in
   * training.
   */
  async answer(request: AnswerRequest): Promise<Answer> {
    return await this.#asked(() => this.#answer(request));
  }

  /** @throws {PalimpsestError} UNAVAILABLE if the engine is unreachable; another actor's engine may answer */
  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    return this.#engine === undefined ? await ask() : await this.#engine.ask(ask);
  }

  async #answer({ task, minPolicyVersion, traced, ...sampling }: AnswerRequest): Promise<Answer> {
    await this.#weights.ensure(minPolicyVersion);
    const { signal } = this.#context;
    const reward = await this.#reward();
    const began = this.#sampler.policyVersion;
    let trace: Trace | undefined;
    const prediction = await rewardedPrediction(this.#agent, reward, task, {
      ...{ ...sampling, signal },
      onScored: (episode, score) => {
        if (traced) trace = { ...this.#traceOf(task, episode, score), ...traced, trainingStep: began };
      },
    });
    return { prediction, began, ended: this.#sampler.policyVersion, ...(trace ? { trace } : {}) };
  }

  #traceOf(task: Task, episode: TracedEpisode, score: Score): Trace {
    return traceEpisode(task, episode, {
      origin: "eval",
      trajectoryId: task.id,
      agent: this.#agent.name,
      run: this.#spec.runId,
      tokenizer: this.#tokenizer,
      score,
      detail: this.#spec.recipe.train.traceDetail ?? "replies",
      sections: task.document.length <= mostTracedCharacters,
    });
  }

  /** Runs one greedy episode and returns it step by step, for display. */
  async trace(task: Task, minPolicyVersion: number): Promise<Trace> {
    return await this.#asked(() => this.#trace(task, minPolicyVersion));
  }

  async #trace(task: Task, minPolicyVersion: number): Promise<Trace> {
    await this.#weights.ensure(minPolicyVersion);
    const { signal } = this.#context;
    const result = await this.#agent.run(agentTask(task), { temperature: 0, signal });
    const reward = await this.#reward();
    const episode = { ...result, memorySteps: result.steps };
    return this.#traceOf(task, episode, await reward(task, episode, { signal }));
  }

  async #run(episode: Episode, signal: AbortSignal): Promise<Trajectory> {
    await this.#weights.ensure(episode.minPolicyVersion);
    const result = await this.#agent.run(agentTask(episode.task), {
      signal,
      seed: episode.seed,
      temperature: this.#spec.recipe.rollout.temperature,
    });
    return toTrajectory(this.#agent.name, result, {
      trajectoryId: episode.trajectoryId,
      groupId: episode.groupId,
      taskId: episode.taskId,
      episodeIndex: episode.episodeIndex,
      actorId: this.#context.actorId,
    });
  }
}

const agentTask = ({ question, document, records }: Task): AgentTask => ({
  question,
  document,
  ...(records ? { records } : {}),
});

/**
 * Job: owns the learner of one run: takes the groups of a step, updates, checkpoints, acknowledges, publishes.
 * Not its job: dispatching groups, choosing tasks, deciding when to stop.
 *
 * A1 (T1). A step's groups are acknowledged after the checkpoint that names them is on disk.
 * A2 (T1). A step that the checkpoint holds already is answered from it, not trained again.
 * A3 (T5). Weights are announced after their objects are stored; a restarted learner announces its version again.
 */
import { dirname, join } from "node:path";
import type { ActorContext } from "@palimpsest/client";
import { loadBackend, openScalarLog, type ScalarLog } from "@palimpsest/jit";
import {
  createLearner,
  type JsonValue,
  type Learner,
  latestCheckpoint,
  loadCheckpoint,
  type UpdateMetrics,
  writeStepDump,
} from "@palimpsest/learner";
import { type BpeTokenizer, loraForm, loraShapes, parameterShapes } from "@palimpsest/model";
import { type Group, type GroupBatch, type GroupConsumer, RunQueues } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { z } from "zod";
import { whenDiskHasSpace } from "./disk-full.js";
import { HeldWeights } from "./held-weights.js";
import { holdLasting, lastingObjects } from "./lasting-objects.js";
import { recordStep, scalarsOf } from "./learner-metrics.js";
import { decodeModelText, openModelText } from "./model-text.js";
import { adaptersOf } from "./policy-weights.js";
import type { RunSpec } from "./run-spec.js";
import { type TracedTask, writeStepTraces } from "./step-traces.js";
import { fetchWeights, publishWeights, sizeOf } from "./weights.js";

export interface StepRequest {
  /** Counts from 1; step n makes policy version n. */
  readonly step: number;
  /** Every group that was dispatched for this step. */
  readonly groupIds: readonly string[];
  readonly shuffleRewards: boolean;
  /** What its groups are about, where traces are kept. */
  readonly tasks?: readonly TracedTask[];
}

/** Groups of the step that the run's ledger does not know: dispatch them, then ask again. */
export interface UndispatchedGroups {
  readonly undispatched: readonly string[];
}

export interface StepResult {
  readonly step: number;
  readonly update: UpdateMetrics;
  /** Waiting for the step's groups. */
  readonly waitSeconds: number;
  readonly updateSeconds: number;
  readonly checkpointSeconds: number;
  readonly publishSeconds: number;
  readonly publishedBytes: number;
  readonly groupsTrained: number;
  readonly groupsDropped: number;
  readonly episodeFailures: readonly string[];
  readonly weightsHash: string;
}

export interface LearnerState {
  readonly policyVersion: number;
  readonly backend: string;
  readonly mode: string;
  readonly checkpoint: string;
}

/** What this actor keeps in a checkpoint; it wrote it itself. */
const cursorSchema = z.object({
  last: z.custom<StepResult>().optional(),
  baseWeightsHash: z.string().optional(),
});

export class LearnerActor {
  readonly #spec: RunSpec;
  #context!: ActorContext;
  #queues!: RunQueues;
  #groups!: GroupConsumer;
  #learner!: Learner;
  #backend = "";
  #scalars: ScalarLog | undefined;
  #checkpoint = "";
  #last: StepResult | undefined;
  #held!: HeldWeights;
  #baseWeightsHash = "";
  #consumed: string[] = [];
  #tokenizer: BpeTokenizer | undefined;

  constructor(spec: RunSpec) {
    this.#spec = spec;
  }

  async start(context: ActorContext): Promise<void> {
    const { recipe, runId, queues, model, initialWeights, checkpointDir } = this.#spec;
    this.#context = context;
    const cluster = await context.connect();
    const backend = await loadBackend({ threads: recipe.learnerThreads });
    this.#backend = backend.name;
    if (recipe.train.tensorboard)
      this.#scalars = await openScalarLog(backend, join(dirname(checkpointDir), "tensorboard"));
    const initial = proto.WeightManifest.decode(initialWeights);
    this.#baseWeightsHash = initial.weightsHash;
    this.#held = new HeldWeights(context.objects, initial, (reason) =>
      context.logger.warn({ err: reason }, "weights of an old version are let go later"),
    );
    this.#queues = await RunQueues.open({
      redisUrl: cluster.facts.redisUrl,
      clusterId: cluster.facts.clusterId,
      runId,
      settings: queues,
      logger: context.logger,
      metrics: context.metrics,
    });
    const lasting = lastingObjects(this.#spec.text, initial);
    await holdLasting(context.objects, lasting, { signal: context.signal });
    // What the process before this one announced is still held for this actor.
    const announced = await this.#queues.currentWeights();
    if (announced !== undefined) this.#held.add(proto.WeightManifest.decode(announced));
    const folder = await latestCheckpoint(checkpointDir);
    const checkpoint = folder === undefined ? undefined : await loadCheckpoint(folder);
    this.#checkpoint = folder ?? "";
    const cursor = cursorSchema.parse(checkpoint?.extra.dataCursor ?? {});
    this.#checkBase(cursor.baseWeightsHash);
    this.#learner = createLearner({
      backend,
      // T6: oldLogprobs "recompute" keeps what the sampler batched together out of the weights.
      config: { maxLogprobDifference: defaultLogprobGate, ...recipe.learner },
      model,
      parameters: await fetchWeights(context.objects, initial),
      objectives: ["policy"],
      dumpFolder: dumpDirOf(checkpointDir),
      ...(checkpoint ? { checkpoint } : {}),
    });
    // The first step can be replayed too.
    if (folder === undefined && recipe.train.keepStepDumps > 0)
      this.#checkpoint = await this.#learner.saveCheckpoint(checkpointDir, {
        consumedGroupIds: [],
        dataCursor: this.#cursor({ step: 0 }),
      });
    this.#last = cursor.last;
    this.#consumed = [...(checkpoint?.extra.consumedGroupIds ?? [])];
    this.#groups = await this.#queues.consumeGroups({
      minGroupSize: recipe.train.minGroupSize,
      // Steps are synchronous: what another version sampled is of another step (T2).
      maxStaleness: 0,
      alreadyConsumed: this.#consumed,
    });
    await this.#announce(await this.#store());
  }

  /** Adapters over other weights than those they were trained with would be another policy. */
  #checkBase(baseWeightsHash: string | undefined): void {
    if (!this.#spec.recipe.learner.lora || baseWeightsHash === undefined) return;
    if (baseWeightsHash === this.#baseWeightsHash) return;
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `model: the checkpoint's adapters belong to weights ${baseWeightsHash}, and the model has ${this.#baseWeightsHash} now; bring back the model that the run began with`,
    );
  }

  #cursor(cursor: { readonly step: number; readonly last?: StepResult }): JsonValue {
    return JSON.parse(JSON.stringify({ ...cursor, baseWeightsHash: this.#baseWeightsHash })) as JsonValue;
  }

  async stop(): Promise<void> {
    await this.#queues?.close();
  }

  state(): LearnerState {
    return {
      policyVersion: this.#learner.policyVersion,
      backend: this.#backend,
      mode: this.#learner.mode,
      checkpoint: this.#checkpoint,
    };
  }

  /**
   * Trains one step. Asked again for the step it did last, it answers the same.
   * @throws {PalimpsestError} INVALID_ARGUMENT for a step out of order; INTERNAL when every group failed
   */
  async trainStep(request: StepRequest): Promise<StepResult | UndispatchedGroups> {
    const { step, groupIds } = request;
    if (this.#last?.step === step) return this.#last;
    if (step !== this.#learner.policyVersion + 1) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `step is ${step}; the learner stands after step ${this.#learner.policyVersion} and takes the next one`,
      );
    }
    const startedAt = performance.now();
    const { outstanding, undispatched } = await this.#statesOf(groupIds);
    if (undispatched.length > 0) return { undispatched };
    const batch = await this.#waitFor(outstanding);
    if (batch === undefined) return await this.trainStep(request);
    const failures = batch.failures.map((failure) => failure.message);
    if (batch.groups.length === 0) {
      throw new PalimpsestError(
        "INTERNAL",
        `every group of step ${step} failed, the first because: ${failures[0] ?? "unknown"}`,
      );
    }
    const waitedAt = performance.now();
    await this.#onDisk(() => this.#dump(request, batch.groups));
    const update = await this.#learner.update(batch.groups, {
      shuffleRewards: request.shuffleRewards,
      signal: this.#context.signal,
    });
    const updatedAt = performance.now();
    const manifest = await this.#store();
    const storedAt = performance.now();
    const trained = batch.groups.map((group) => group.groupId);
    const result: StepResult = {
      step,
      update,
      waitSeconds: (waitedAt - startedAt) / 1000,
      updateSeconds: (updatedAt - waitedAt) / 1000,
      checkpointSeconds: 0,
      publishSeconds: 0,
      publishedBytes: sizeOf(manifest),
      groupsTrained: trained.length,
      groupsDropped: batch.dropped.length,
      episodeFailures: failures.slice(0, 5),
      weightsHash: manifest.weightsHash,
    };
    // Only groups that could still be on the queues matter: those of this step and the one before.
    this.#consumed = [...this.#consumed.slice(-this.#spec.recipe.train.groupsPerStep), ...trained];
    this.#checkpoint = await this.#onDisk(() =>
      this.#learner.saveCheckpoint(
        this.#spec.checkpointDir,
        {
          consumedGroupIds: this.#consumed,
          dataCursor: this.#cursor({ step, last: result }),
          metric: update.rewardMean,
        },
        { keepLast: this.#spec.recipe.train.keepCheckpoints },
      ),
    );
    const savedAt = performance.now();
    await this.#groups.acknowledge(trained);
    await this.#announce(manifest);
    await this.#trace(request, batch.groups);
    this.#last = {
      ...result,
      checkpointSeconds: (savedAt - storedAt) / 1000,
      publishSeconds: (storedAt - updatedAt + performance.now() - savedAt) / 1000,
    };
    try {
      this.#scalars?.write(step, scalarsOf(this.#last));
    } catch (reason) {
      // For people: a step is done whether its curves can be written or not.
      this.#context.logger.warn({ err: reason, step }, "the step's scalars were not written");
    }
    recordStep(this.#context.metrics, this.#last);
    const { groups } = await this.#queues.ledger.counts();
    this.#context.metrics.gauge("palimpsest_queue_groups_outstanding").set(groups.outstanding);
    return this.#last;
  }

  /** Waits for space on the disk: a trained step is not lost to a full one. */
  #onDisk<T>(write: () => Promise<T>): Promise<T> {
    const { logger, signal } = this.#context;
    return whenDiskHasSpace(write, {
      onWait: (error) => logger.warn({ err: error }, "the disk of the run is full: the step waits for space"),
      signal,
    });
  }

  /** What the step is given, on disk before it trains: a step that fails can be looked at. */
  async #dump({ step, shuffleRewards }: StepRequest, groups: readonly Group[]): Promise<void> {
    const keepLast = this.#spec.recipe.train.keepStepDumps;
    if (keepLast === 0) return;
    const dump = { policyVersion: this.#learner.policyVersion, shuffleRewards, groups };
    await writeStepDump(dumpDirOf(this.#spec.checkpointDir), step, dump, { keepLast });
  }

  /** For people: a step is done whether they can be written or not. */
  async #trace({ step, tasks = [] }: StepRequest, groups: readonly Group[]): Promise<void> {
    const keepLast = this.#spec.recipe.train.keepTraces;
    if (keepLast === 0) return;
    try {
      this.#tokenizer ??= await this.#readTokenizer();
      const folder = tracesDirOf(this.#spec.checkpointDir);
      const { runId } = this.#spec;
      const tokenizer = this.#tokenizer;
      await writeStepTraces(folder, { runId, step, groups, tasks, tokenizer }, { keepLast });
    } catch (reason) {
      this.#context.logger.warn({ err: reason, step }, "the step's traces were not written");
    }
  }

  async #readTokenizer(): Promise<BpeTokenizer> {
    const text = decodeModelText(await this.#context.objects.get(this.#spec.text));
    return openModelText(text, this.#spec.startedAtMs).tokenizer;
  }

  async #statesOf(groupIds: readonly string[]) {
    const states = await this.#queues.ledger.states(groupIds);
    return {
      outstanding: groupIds.filter((_, at) => states[at] === "outstanding"),
      undispatched: groupIds.filter((_, at) => states[at] === undefined),
    };
  }

  /** undefined when a group of them is not dispatched any more: Redis came back without its last second. */
  async #waitFor(groupIds: readonly string[]): Promise<GroupBatch | undefined> {
    try {
      return await this.#groups.nextGroups({
        count: groupIds.length,
        groupIds,
        policyVersion: this.#learner.policyVersion,
      });
    } catch (reason) {
      if (PalimpsestError.from(reason).code === "NOT_FOUND") return undefined;
      throw reason;
    }
  }

  /** Puts the present weights into the object store; of a policy with adapters, these alone. */
  async #store(): Promise<proto.WeightManifest> {
    const { runId, model } = this.#spec;
    const { lora } = this.#learner.config;
    const version = { runId, policyVersion: this.#learner.policyVersion };
    const { objects } = this.#context;
    if (lora === null)
      return await publishWeights(objects, version, this.#learner.parameters(), parameterShapes(model));
    return await publishWeights(
      objects,
      version,
      this.#learner.adapters(),
      loraShapes(model, loraForm(lora)),
      { adapters: adaptersOf(lora, this.#baseWeightsHash) },
    );
  }

  async #announce(manifest: proto.WeightManifest): Promise<void> {
    await this.#queues.announceWeights(proto.WeightManifest.encode(manifest).finish());
    this.#held.add(manifest);
  }
}

/** Nats a token on average; float32 on both sides stays below 1e-5, bfloat16 on one side near 0.005. */
const defaultLogprobGate = 0.05;

/** Folder of a run's checkpoints. */
export function checkpointDirOf(runDir: string): string {
  return join(runDir, "checkpoints");
}

/** Folder of what a run's last steps were given, beside its checkpoints. */
export function dumpDirOf(checkpointDir: string): string {
  return join(dirname(checkpointDir), "dumps");
}

/** Folder of the trajectories of a run's last steps as text, beside its checkpoints. */
function tracesDirOf(checkpointDir: string): string {
  return join(dirname(checkpointDir), "traces");
}

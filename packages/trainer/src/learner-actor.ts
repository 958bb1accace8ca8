/**
 * Job: owns the learner of one run: takes the groups of a step, updates, checkpoints, acknowledges, publishes.
 * Not its job: dispatching groups, choosing tasks, deciding when to stop.
 *
 * In what order: step-protocol.ts (STEP-1 to STEP-5).
 * A3 (T5). Weights are announced after their objects are stored; a restarted learner announces its version again.
 */
import { dirname, join } from "node:path";
import type { ActorContext } from "@palimpsest/client";
import { loadBackend, openScalarLog, type ScalarLog } from "@palimpsest/jit";
import {
  createLearner,
  type Learner,
  rateCheckpoint,
  type UpdateMetrics,
  type WrittenDump,
  writeStepDump,
} from "@palimpsest/learner";
import { type BpeTokenizer, loraForm, loraShapes, parameterShapes } from "@palimpsest/model";
import { type Group, RunQueues } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { z } from "zod";
import type { ScheduleState } from "./async/group-schedule.js";
import { takenBy } from "./async/taken-groups.js";
import { rewardByCategory } from "./category-rewards.js";
import { whenDiskHasSpace } from "./disk-full.js";
import { HeldWeights } from "./held-weights.js";
import { holdLasting, lastingObjects } from "./lasting-objects.js";
import { recordStep, scalarsOf } from "./learner-metrics.js";
import { findSaved, LearnerSaves, type SavedRun, savedVersion } from "./learner-saves.js";
import { decodeModelText, openModelText } from "./model-text.js";
import { fetchModules } from "./modules/recipe-modules.js";
import { adaptersOf } from "./policy-weights.js";
import { PutWeights } from "./put-weights.js";
import type { RunSpec } from "./run-spec.js";
import type { StepBatch, StepGroups, UndispatchedGroups } from "./step-groups.js";
import { StepProtocol } from "./step-protocol.js";
import { type TracedTask, writeStepTraces } from "./step-traces.js";
import { type RejectedGroups, rejectedIn } from "./teaching-groups.js";
import type { VersionRating } from "./training-evaluations.js";
import { fetchWeights, publishWeights, sizeOf } from "./weights.js";

export interface StepRequest extends StepGroups {
  readonly shuffleRewards: boolean;
  /** What its groups are about, where traces are kept. */
  readonly tasks?: readonly TracedTask[];
  /** Categories of its tasks by their ids, where they have some. */
  readonly categories?: Readonly<Record<string, string>>;
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
  /** Absent where steps train groups that teach nothing, too. */
  readonly rejected?: RejectedGroups;
  /** Of a step with a window: the groups that it took, and where the run's schedule stands after it. */
  readonly taken?: { readonly groupIds: readonly string[]; readonly schedule: ScheduleState };
  readonly episodeFailures: readonly string[];
  /** Mean reward of each category of the step's tasks; absent where they have none. */
  readonly rewardByCategory?: Readonly<Record<string, number>>;
  readonly weightsHash: string;
}

/** What is known of a step once its batch is trained. */
type TrainedResult = Omit<
  StepResult,
  "checkpointSeconds" | "publishSeconds" | "publishedBytes" | "weightsHash"
>;

interface TrainedStep {
  readonly result: TrainedResult;
  readonly dump: WrittenDump | undefined;
  readonly updatedAt: number;
}

/** A step whose weights are stored and whose checkpoint is on disk. */
interface SavedStep {
  readonly result: StepResult;
  readonly manifest: proto.WeightManifest;
  readonly updatedAt: number;
  readonly storedAt: number;
  readonly savedAt: number;
}

export interface LearnerState {
  /** After the last step that is done. */
  readonly policyVersion: number;
  readonly backend: string;
  readonly mode: string;
  readonly checkpoint: string;
  /** Where the run's schedule stands, where its steps have windows. */
  readonly schedule: ScheduleState | undefined;
  /** What the last step that is done was answered with; absent before the first. */
  readonly last: StepResult | undefined;
}

/** What this actor keeps in a checkpoint; it wrote it itself. */
const cursorSchema = z.object({
  last: z.custom<StepResult>().optional(),
  baseWeightsHash: z.string().optional(),
  /** As the checkpoint's `consumedGroupIds`: of the last step and the one before. */
  rejectedGroupIds: z.array(z.string()).default([]),
});

export class LearnerActor {
  readonly #spec: RunSpec;
  #context!: ActorContext;
  #queues!: RunQueues;
  #protocol!: StepProtocol<StepRequest, TrainedStep, SavedStep, StepResult>;
  #learner!: Learner;
  #backend = "";
  #scalars: ScalarLog | undefined;
  #saves!: LearnerSaves;
  /** Of the weights after the last step that is saved. */
  #weightsHash = "";
  #put!: PutWeights;
  #held!: HeldWeights;
  #baseWeightsHash = "";
  #stepStartedAt = 0;
  #startedStep = 0;
  #tokenizer: BpeTokenizer | undefined;

  constructor(spec: RunSpec) {
    this.#spec = spec;
  }

  async start(context: ActorContext): Promise<void> {
    const { recipe, runId, queues, model, initialWeights, checkpointDir } = this.#spec;
    this.#context = context;
    const cluster = await context.connect();
    const backend = await loadBackend({
      threads: recipe.learnerThreads,
      device: recipe.learnerGpus > 0 ? "gpu" : "auto",
    });
    this.#backend = backend.name;
    if (backend.gpuUnused !== undefined) context.logger.warn(backend.gpuUnused);
    if (recipe.train.tensorboard)
      this.#scalars = await openScalarLog(backend, join(dirname(checkpointDir), "tensorboard"));
    const initial = proto.WeightManifest.decode(initialWeights);
    this.#baseWeightsHash = initial.weightsHash;
    this.#put = await PutWeights.open(
      context.objects,
      join(dirname(checkpointDir), "weight-objects.json"),
      (write) => this.#onDisk(write),
    );
    this.#held = new HeldWeights(this.#put, initial, (reason) =>
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
    const lasting = lastingObjects(this.#spec.text, initial, this.#spec.modules);
    await holdLasting(context.objects, lasting, { signal: context.signal });
    const { advantage } = await fetchModules(context.objects, this.#spec.modules, ["advantage"]);
    // What the process before this one announced is still held for this actor.
    const announced = await this.#queues.currentWeights();
    if (announced !== undefined) this.#held.add(proto.WeightManifest.decode(announced));
    const found: { run?: SavedRun | undefined } = {};
    const cursorFound = () => cursorSchema.parse(found.run?.dataCursor ?? {});
    // What is saved is read after the take-over: a learner that is still alive elsewhere acknowledges nothing after it.
    const groups = await this.#queues.consumeGroups({
      minGroupSize: recipe.train.minGroupSize,
      maxStaleness: recipe.train.maxStaleness,
      alreadyConsumed: async () => {
        found.run = await findSaved(checkpointDir);
        return found.run?.consumedGroupIds ?? [];
      },
      alreadyRejected: () => cursorFound().rejectedGroupIds,
    });
    const { run } = found;
    const cursor = cursorFound();
    this.#checkBase(cursor.baseWeightsHash);
    this.#learner = createLearner({
      backend,
      // T6: oldLogprobs "recompute" keeps what the sampler batched together out of the weights.
      config: { maxLogprobDifference: defaultLogprobGate, ...recipe.learner },
      model,
      parameters: await fetchWeights(context.objects, initial),
      objectives: ["policy"],
      dumpFolder: dumpDirOf(checkpointDir),
      ...(advantage ? { advantage } : {}),
      ...(run ? { checkpoint: run.checkpoint } : {}),
    });
    this.#saves = new LearnerSaves(
      this.#learner,
      {
        checkpointDir,
        everySteps: recipe.train.checkpointEverySteps,
        steps: recipe.train.steps,
        keepLast: recipe.train.keepCheckpoints,
      },
      run?.folder ?? "",
    );
    await this.#standWhereSaved(run, backend.gpu);
    this.#protocol = new StepProtocol(
      {
        ledger: this.#queues.ledger,
        groups,
        groupsPerStep: recipe.train.groupsPerStep,
        savedVersion: () => savedVersion(checkpointDir),
        policyVersion: () => this.#learner.policyVersion,
        teaches: (group) => this.#learner.teaches(group),
        train: (request, batch) => this.#train(request, batch),
        save: (trained, ids, rejectedGroupIds) => this.#save(trained, ids, rejectedGroupIds),
        announce: ({ manifest }) => this.#announce(manifest),
        report: (saved) => reportOf(saved),
      },
      {
        last: cursor.last,
        consumedGroupIds: run?.consumedGroupIds ?? [],
        rejectedGroupIds: cursor.rejectedGroupIds,
      },
    );
    const manifest = await this.#store();
    this.#weightsHash = manifest.weightsHash;
    await this.#announce(manifest);
  }

  /** Repeats what the log has after the checkpoint; a run that begins gets a checkpoint where steps are to be repeated from it. */
  async #standWhereSaved(run: SavedRun | undefined, gpu: boolean): Promise<void> {
    const { signal, logger } = this.#context;
    const { checkpointEverySteps, keepStepDumps } = this.#spec.recipe.train;
    const at = () => ({ weightsHash: this.#learner.weightsHash() });
    if (run !== undefined) {
      await this.#onDisk(() =>
        this.#saves.repeat(run, {
          gpu,
          signal,
          onStep: (step) => logger.info({ step }, "a step is repeated from the log"),
          onDifference: (text) =>
            logger.warn({ difference: text }, "the log was repeated with other rounding"),
        }),
      );
    } else if (checkpointEverySteps > 1 || keepStepDumps > 0) {
      const dataCursor = this.#cursor({ step: 0 });
      await this.#onDisk(() => this.#saves.saveCheckpoint({ ...at(), consumedGroupIds: [], dataCursor }));
    }
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

  #cursor(cursor: {
    readonly step: number;
    readonly last?: StepResult;
    readonly rejectedGroupIds?: readonly string[];
  }) {
    return { ...cursor, baseWeightsHash: this.#baseWeightsHash };
  }

  async stop(): Promise<void> {
    await this.#queues?.close();
  }

  state(): LearnerState {
    return {
      policyVersion: this.#protocol.lastDone,
      backend: this.#backend,
      mode: this.#learner.mode,
      checkpoint: this.#saves.checkpoint,
      schedule: this.#protocol.last?.taken?.schedule,
      last: this.#protocol.last,
    };
  }

  /**
   * Trains one step. Asked again for the step it did last, it answers the same.
   * @throws {PalimpsestError} INVALID_ARGUMENT for a step out of order; INTERNAL when every group failed; STALE_POLICY
   *   (retryable) when another learner has done the step, and this one has to begin anew
   */
  async trainStep(request: StepRequest): Promise<StepResult | UndispatchedGroups> {
    // A step that was handed back waits on.
    if (this.#startedStep !== request.step) this.#stepStartedAt = performance.now();
    this.#startedStep = request.step;
    const answer = await this.#protocol.run(request);
    if ("undispatched" in answer) return answer;
    const { result, batch } = answer;
    if (batch === undefined) return result;
    await this.#trace(request, batch.groups);
    try {
      this.#scalars?.write(result.step, scalarsOf(result));
    } catch (reason) {
      // For people: a step is done whether its curves can be written or not.
      this.#context.logger.warn({ err: reason, step: result.step }, "the step's scalars were not written");
    }
    recordStep(this.#context.metrics, result);
    const { groups } = await this.#queues.ledger.counts();
    this.#context.metrics.gauge("palimpsest_queue_groups_outstanding").set(groups.outstanding);
    return result;
  }

  /** Notes what an evaluation said of a version, whose checkpoint is kept while it is the best. */
  async rateVersion({ policyVersion, metric, scalars }: VersionRating): Promise<void> {
    await this.#onDisk(() => rateCheckpoint(this.#spec.checkpointDir, policyVersion, metric));
    try {
      this.#scalars?.write(policyVersion, scalars);
    } catch (reason) {
      this.#context.logger.warn(
        { err: reason, step: policyVersion },
        "scalars of an evaluation were not written",
      );
    }
  }

  async #train(request: StepRequest, batch: StepBatch): Promise<TrainedStep> {
    const waitedAt = performance.now();
    const dump = await this.#onDisk(() => this.#dump(request, batch.groups));
    const update = await this.#learner.update(batch.groups, {
      shuffleRewards: request.shuffleRewards,
      signal: this.#context.signal,
    });
    const updatedAt = performance.now();
    const result: TrainedResult = {
      step: request.step,
      update,
      waitSeconds: (waitedAt - this.#stepStartedAt) / 1000,
      updateSeconds: (updatedAt - waitedAt) / 1000,
      groupsTrained: batch.groups.length,
      groupsDropped: batch.dropped.length,
      ...takenBy(request, batch),
      ...rejectedIn(this.#spec.recipe, batch, (group) => this.#learner.teaches(group)),
      episodeFailures: batch.failures.slice(0, 5).map((failure) => failure.message),
      ...(request.categories === undefined
        ? {}
        : { rewardByCategory: rewardByCategory([...batch.groups, ...batch.rejected], request.categories) }),
    };
    return { result, dump, updatedAt };
  }

  async #save(
    trained: TrainedStep,
    consumedGroupIds: readonly string[],
    rejectedGroupIds: readonly string[],
  ): Promise<SavedStep> {
    const manifest = await this.#store();
    const storedAt = performance.now();
    const result: StepResult = {
      ...trained.result,
      checkpointSeconds: 0,
      publishSeconds: 0,
      publishedBytes: sizeOf(manifest),
      weightsHash: manifest.weightsHash,
    };
    await this.#onDisk(() =>
      this.#saves.save({
        step: result.step,
        parentHash: this.#weightsHash,
        weightsHash: manifest.weightsHash,
        consumedGroupIds,
        dataCursor: this.#cursor({ step: result.step, last: result, rejectedGroupIds }),
        dump: trained.dump,
      }),
    );
    this.#weightsHash = manifest.weightsHash;
    return { result, manifest, updatedAt: trained.updatedAt, storedAt, savedAt: performance.now() };
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
  async #dump(
    { step, shuffleRewards }: StepRequest,
    groups: readonly Group[],
  ): Promise<WrittenDump | undefined> {
    const { keepStepDumps, checkpointEverySteps } = this.#spec.recipe.train;
    // The log takes the step's dump over when the step is trained.
    const keepLast = Math.max(keepStepDumps, checkpointEverySteps > 1 ? 1 : 0);
    if (keepLast === 0) return undefined;
    const dump = { policyVersion: this.#learner.policyVersion, shuffleRewards, groups };
    return await writeStepDump(dumpDirOf(this.#spec.checkpointDir), step, dump, { keepLast });
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

  /** Puts the present weights into the object store; of a policy with adapters, these alone. */
  async #store(): Promise<proto.WeightManifest> {
    const { runId, model } = this.#spec;
    const { lora } = this.#learner.config;
    const version = { runId, policyVersion: this.#learner.policyVersion };
    const objects = this.#put;
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
    this.#held.add(manifest, this.#put.takeLeft());
  }
}

function reportOf({ result, updatedAt, storedAt, savedAt }: SavedStep): StepResult {
  return {
    ...result,
    checkpointSeconds: (savedAt - storedAt) / 1000,
    publishSeconds: (storedAt - updatedAt + performance.now() - savedAt) / 1000,
  };
}

/** Nats a token on average; float32 on both sides stays below 1e-5, bfloat16 on one side near 0.005. */
export const defaultLogprobGate = 0.05;

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

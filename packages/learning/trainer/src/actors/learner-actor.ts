/**
 * Responsibility: owns the learner of one run: takes the groups of a step, updates, checkpoints, acknowledges, publishes.
 * Not responsible for: dispatching groups, choosing tasks, deciding when to stop.
 *
 * The order of these actions is defined in step-protocol.ts (STEP-1 to STEP-5).
 * ANNOUNCE-1: learner-weights.ts.
 */
import { dirname, join } from "node:path";
import type { ActorContext } from "@palimpsest/client";
import { type Backend, loadBackend, openScalarLog, type ScalarLog } from "@palimpsest/jit";
import { createLearner, type ExchangeStats, type Learner, rateCheckpoint } from "@palimpsest/learner";
import type { RunQueues } from "@palimpsest/trajectories";
import * as proto from "@palimpsest/wire/protocol";
import type { StepBatch, UndispatchedGroups } from "../groups/step-groups.js";
import { takenBy } from "../groups/taken-groups.js";
import { rejectedIn } from "../groups/teaching-groups.js";
import { fetchModules } from "../modules/recipe-modules.js";
import { learnerSettings, publishedType } from "../parts/learner-settings.js";
import { checkFitsGpu } from "../plan/plan-gpu.js";
import { rewardByCategory } from "../records/category-rewards.js";
import { recordStep, scalarsOf } from "../records/learner-metrics.js";
import { PhaseClock } from "../records/phase-clock.js";
import { type ProcessMemory, processMemory } from "../records/process-memory.js";
import { openRunQueues } from "../records/run-queues.js";
import type { RunSpec } from "../records/run-spec.js";
import {
  type LearnerState,
  reportOf,
  type SavedStep,
  type StepRequest,
  type StepResult,
  type TrainedResult,
  type TrainedStep,
} from "../records/step-result.js";
import type { VersionRating } from "../records/training-evaluations.js";
import { whenDiskHasSpace } from "../run-folder/disk-full.js";
import { findSaved, LearnerSaves, type SavedRun, savedVersion } from "../run-folder/learner-saves.js";
import { dumpDirOf } from "../run-folder/run-paths.js";
import { holdLasting, lastingObjects } from "../weights/lasting-objects.js";
import { fetchFloats, weightsBytes } from "../weights/weights.js";
import { inEpisodeSpans } from "./episode-spans.js";
import { checkBase, cursorSchema } from "./learner-cursor.js";
import { LearnerRanks } from "./learner-ranks.js";
import { LearnerWeights } from "./learner-weights.js";
import { StepProtocol } from "./step-protocol.js";
import { StepRecords } from "./step-records.js";

/** The actor that trains a run's policy: takes the groups of a step, updates, saves, acknowledges, publishes. */
export class LearnerActor {
  readonly #spec: RunSpec;
  #context!: ActorContext;
  #queues!: RunQueues;
  #protocol!: StepProtocol<StepRequest, TrainedStep, SavedStep, StepResult>;
  #learner!: Learner;
  #ranks!: LearnerRanks;
  #backend!: Backend;
  #scalars: ScalarLog | undefined;
  #saves!: LearnerSaves;
  /** Hash of the weights after the last saved step. */
  #weightsHash = "";
  #weights!: LearnerWeights;
  #stepStartedAt = 0;
  #startedStep = 0;
  #groupsDispatched = 0;
  #records!: StepRecords;
  readonly #phases = new PhaseClock();

  constructor(spec: RunSpec) {
    this.#spec = spec;
  }

  async start(context: ActorContext): Promise<void> {
    const { recipe, model, initialWeights, checkpointDir } = this.#spec;
    this.#context = context;
    this.#records = new StepRecords(this.#spec, context, (write) => this.#onDisk(write));
    const cluster = await context.connect();
    // The other ranks load while this one does.
    this.#ranks = await LearnerRanks.spawn(cluster, this.#spec);
    await this.#ranks.serve(context.bulk);
    this.#phases.export(context.metrics, () => this.#ranks.exchanged?.seconds ?? 0);
    const backend = await loadBackend({
      threads: recipe.learnerThreads,
      device: recipe.learnerGpus > 0 ? "gpu" : "auto",
      deterministic: recipe.learner.deterministic ?? false,
    });
    this.#backend = backend;
    if (backend.gpuUnused !== undefined) context.logger.warn(backend.gpuUnused);
    checkFitsGpu(recipe, model, backend.gpuMemoryBytes);
    if (recipe.train.tensorboard)
      this.#scalars = await openScalarLog(backend, join(dirname(checkpointDir), "tensorboard"));
    const initial = proto.WeightManifest.decode(initialWeights);
    this.#weights = await LearnerWeights.open(this.#spec, initial, context, (write) => this.#onDisk(write));
    this.#queues = await openRunQueues(context, cluster, this.#spec);
    const lasting = lastingObjects(this.#spec.text, initial, this.#spec.modules);
    await holdLasting(context.objects, lasting, { signal: context.signal });
    const { advantage } = await fetchModules(context.objects, this.#spec.modules, ["advantage"]);
    this.#weights.inherit(await this.#queues.currentWeights());
    const found: { run?: SavedRun | undefined } = {};
    const cursorFound = () => cursorSchema.parse(found.run?.dataCursor ?? {});
    // What is saved is read after the take-over, because from then on a learner that is still alive elsewhere acknowledges nothing.
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
    if (recipe.learner.lora) checkBase(cursor.baseWeightsHash, this.#weights.baseWeightsHash);
    this.#learner = createLearner({
      backend,
      config: learnerSettings(recipe),
      model,
      parameters: await fetchFloats(context.objects, initial),
      publishedType: publishedType(recipe),
      objectives: ["policy"],
      dumpFolder: dumpDirOf(checkpointDir),
      ...(this.#ranks.peers ? { peers: this.#ranks.peers } : {}),
      ...(advantage ? { advantage } : {}),
      ...(run ? { checkpoint: run.checkpoint } : {}),
    });
    const { config, precisionReason: reason } = this.#learner;
    const { precision } = config;
    context.logger.info({ precision, reason }, `the learner computes matrix products in ${precision}`);
    await this.#ranks.meet(this.#learner, run !== undefined);
    this.#saves = new LearnerSaves(
      this.#ranks,
      {
        checkpointDir,
        everySteps: recipe.train.checkpointEverySteps,
        steps: recipe.train.steps,
        keepLast: recipe.train.keepCheckpoints,
        onLate: (err) =>
          context.logger.warn({ err }, "a checkpoint beside training failed; the next step writes another"),
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
        announce: ({ manifest }) => this.#weights.announce(manifest, this.#queues),
        report: (saved) => reportOf(saved),
      },
      {
        last: cursor.last,
        consumedGroupIds: run?.consumedGroupIds ?? [],
        rejectedGroupIds: cursor.rejectedGroupIds,
      },
    );
    const manifest = await this.#weights.store(this.#learner, this.#queues);
    this.#weightsHash = manifest.weightsHash;
    await this.#weights.announce(manifest, this.#queues);
    // Compiles while the rollout actors do, since the first update would otherwise wait for it.
    void this.#learner.prepare().catch((err: unknown) => {
      context.logger.warn({ err }, "warm-up failed; functions are compiled when they are first used");
    });
  }

  /** Replays the log after the checkpoint; a new run gets a checkpoint if steps are to be replayed from it. */
  async #standWhereSaved(run: SavedRun | undefined, gpu: boolean): Promise<void> {
    const { signal, logger } = this.#context;
    const { checkpointEverySteps, keepStepDumps } = this.#spec.recipe.train;
    const at = () => ({ weightsHash: this.#learner.weightsHash() });
    if (run !== undefined) {
      await this.#onDisk(() =>
        this.#saves.repeat(run, {
          gpu,
          signal,
          onStep: (step) => logger.info({ step }, "a step is replayed from the log"),
          onDifference: (text) =>
            logger.warn({ difference: text }, "the replayed steps gave weights that differ by rounding"),
        }),
      );
    } else if (checkpointEverySteps > 1 || keepStepDumps > 0) {
      const dataCursor = this.#cursor({ step: 0 });
      await this.#onDisk(() => this.#saves.saveCheckpoint({ ...at(), consumedGroupIds: [], dataCursor }));
    }
  }

  #cursor(cursor: {
    readonly step: number;
    readonly last?: StepResult;
    readonly rejectedGroupIds?: readonly string[];
  }) {
    return { ...cursor, baseWeightsHash: this.#weights.baseWeightsHash };
  }

  async stop(): Promise<void> {
    await this.#queues?.close();
  }

  state(): LearnerState {
    return {
      policyVersion: this.#protocol.lastDone,
      backend: this.#backend.name,
      mode: this.#learner.mode,
      precision: this.#learner.config.precision,
      checkpoint: this.#saves.checkpoint,
      schedule: this.#protocol.last?.taken?.schedule,
      last: this.#protocol.last,
    };
  }

  /**
   * Returns the memory of this process and its GPU; with several learners that train together, the maximum over them.
   */
  async memory(): Promise<ProcessMemory> {
    return await this.#ranks.memory(processMemory(this.#backend));
  }

  /**
   * Trains one step. A repeated request for the last step gets the same result.
   * @throws {PalimpsestError} INVALID_ARGUMENT for a step out of order; INTERNAL if every group failed; STALE_POLICY
   *   (retryable) if another learner has done the step, so that this one has to restart
   */
  async trainStep(request: StepRequest): Promise<StepResult | UndispatchedGroups> {
    this.#phases.enter("rollout");
    try {
      return await this.#trainStep(request);
    } finally {
      this.#phases.enter("other");
    }
  }

  async #trainStep(request: StepRequest): Promise<StepResult | UndispatchedGroups> {
    // A step that was handed back keeps its start time.
    if (this.#startedStep !== request.step) this.#stepStartedAt = performance.now();
    this.#startedStep = request.step;
    const answer = await this.#protocol.run(request);
    if ("undispatched" in answer) return answer;
    const { result, batch } = answer;
    if (batch === undefined) return result;
    await this.#records.trace(request, batch);
    try {
      this.#scalars?.write(result.step, scalarsOf(result));
    } catch (reason) {
      // Scalars are only for people: a step is done even if they cannot be written.
      this.#context.logger.warn({ err: reason, step: result.step }, "the step's scalars were not written");
      this.#context.metrics.counter("palimpsest_learner_records_dropped_total").inc({ kind: "scalars" });
    }
    recordStep(this.#context.metrics, result);
    const { groups } = await this.#queues.ledger.counts();
    this.#context.metrics.gauge("palimpsest_queue_groups_outstanding").set(groups.outstanding);
    // Counted here because the driver, which dispatches them, has no metrics page.
    const dispatched = this.#context.metrics.counter("palimpsest_queue_groups_dispatched_total");
    dispatched.inc(Math.max(0, groups.dispatched - this.#groupsDispatched));
    this.#groupsDispatched = groups.dispatched;
    return result;
  }

  /** Stores the current weights in float32, which are announced in bfloat16. @returns their manifest, encoded */
  async storeFloats(): Promise<Uint8Array> {
    const manifest = await this.#weights.storeFloats(this.#learner);
    return proto.WeightManifest.encode(manifest).finish();
  }

  /** Records an evaluation's rating of a version, whose checkpoint is kept while it is the best. */
  async rateVersion({ policyVersion, metric, scalars }: VersionRating): Promise<void> {
    await this.#onDisk(() => rateCheckpoint(this.#spec.checkpointDir, policyVersion, metric));
    try {
      this.#scalars?.write(policyVersion, scalars);
    } catch (reason) {
      this.#context.logger.warn(
        { err: reason, step: policyVersion },
        "the scalars of an evaluation were not written",
      );
      this.#context.metrics.counter("palimpsest_learner_records_dropped_total").inc({ kind: "scalars" });
    }
  }

  async #train(request: StepRequest, batch: StepBatch): Promise<TrainedStep> {
    const waitedAt = performance.now();
    this.#phases.enter("update");
    const dump = await this.#records.dump(request, {
      groups: batch.groups,
      policyVersion: this.#learner.policyVersion,
    });
    const before = this.#ranks.exchanged;
    const update = await inEpisodeSpans(request.step, batch.groups, () =>
      this.#ranks.update(batch.groups, {
        shuffleRewards: request.shuffleRewards,
        signal: this.#context.signal,
        tokens: this.#records.tokens(this.#learner.config.loss),
      }),
    );
    const updatedAt = performance.now();
    const result: TrainedResult = {
      step: request.step,
      update,
      waitSeconds: (waitedAt - this.#stepStartedAt) / 1000,
      updateSeconds: (updatedAt - waitedAt) / 1000,
      ...exchangedSince(before, this.#ranks.exchanged),
      groupsTrained: batch.groups.length,
      groupsDropped: batch.dropped.length,
      ...takenBy(request, batch),
      ...rejectedIn(this.#spec.recipe, batch, (group) => this.#learner.teaches(group)),
      episodeFailures: [...new Set(batch.failures.map(({ message }) => message))].slice(0, 5),
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
    this.#phases.enter("publish");
    const manifest = await this.#weights.store(this.#learner, this.#queues);
    const storedAt = performance.now();
    this.#phases.enter("checkpoint");
    const result: StepResult = {
      ...trained.result,
      checkpointSeconds: 0,
      publishSeconds: 0,
      publishedBytes: weightsBytes(manifest),
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
    this.#phases.enter("publish");
    return { result, manifest, updatedAt: trained.updatedAt, storedAt, savedAt: performance.now() };
  }

  /** Waits for space on the disk, so that a full one does not lose a trained step. */
  #onDisk<T>(write: () => Promise<T>): Promise<T> {
    const { logger, signal } = this.#context;
    return whenDiskHasSpace(write, {
      onWait: (error) => {
        const folder = dirname(this.#spec.checkpointDir);
        logger.warn(
          { err: error, folder },
          `the disk of ${folder} is full: the step waits for space and loses nothing`,
        );
      },
      signal,
    });
  }
}

/** Returns the cost of a step's exchange, if several learners train together. */
function exchangedSince(
  before: ExchangeStats | undefined,
  after: ExchangeStats | undefined,
): Pick<TrainedResult, "exchange"> {
  if (before === undefined || after === undefined) return {};
  return {
    exchange: {
      seconds: after.seconds - before.seconds,
      sentBytes: after.sentBytes - before.sentBytes,
    },
  };
}

/**
 * Responsibility: turns scored groups into better weights, in one process, with all tensors in one compiled module.
 * Not responsible for: fetching groups, publishing weights, deciding when to stop.
 *
 * LEARNER-1. One call at a time: a second one is refused, not queued.
 * LEARNER-2. An update that throws leaves weights, moments, counters and random state as they were. If an earlier
 *     optimizer step of the same update was applied, the policy version rises and the error says so: one
 *     version never names two sets of weights. If a step failed while it was applied, or a failed launch destroyed state,
 *     the learner is closed.
 * LEARNER-3. The same weights, groups and configuration give the same new weights, bit for bit on one backend of a CPU,
 *     regardless of the order of the groups. On a GPU some sums have no fixed order unless `deterministic` is set.
 * LEARNER-4. A learner created from a checkpoint continues exactly like the one that wrote it.
 */
import { setImmediate } from "node:timers/promises";
import { entry, type JitModule, sizeOf } from "@palimpsest/jit";
import {
  findNotFinite,
  hashWeights,
  isPublishedHalf,
  isTokenless,
  type ModelConfig,
  mergeLora,
  parameterShapes,
} from "@palimpsest/model";
import type { Group, StepDump } from "@palimpsest/trajectories";
import {
  type Checkpoint,
  type CheckpointExtra,
  type JsonValue,
  readCheckpoint,
  writeCheckpoint,
} from "../checkpoint/checkpoint.js";
import { StoredReference } from "../checkpoint/stored-reference.js";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import { type Random, restoreRandom } from "../config/random.js";
import type { GroupAdvantage } from "../loss/define-advantage.js";
import { endsLearner, withMemoryAdvice } from "../memory/memory-exhausted.js";
import { gatherRows, rowsFromGroups } from "../rows/rows.js";
import type { SupervisedRow } from "../rows/sft.js";
import { EarlierDifferences } from "../state/fresh-checks.js";
import { readWhole, writeWhole } from "../state/optimizer-shards.js";
import { savedNames, savedSizes, stateName, trainedShapes, withKind } from "../state/state.js";
import { trainingFlops } from "../state/training-flops.js";
import { nextKlCoefficient } from "../step/kl-reward.js";
import { type PolicyUpdate, runUpdate, type UpdateProgress } from "../step/policy-update.js";
import { preparations } from "../step/prepare.js";
import { type SupervisedMetrics, supervisedStep } from "../step/supervised-step.js";
import type { TrainedTokens } from "../step/trained-tokens.js";
import type { UpdateMetrics, UpdateRecorder } from "../step/update-metrics.js";
import type { Together } from "../together/together.js";
import { dumpFailure } from "./failure-dump.js";

/** The initial state of a learner. */
export interface LearnerStart {
  readonly precisionReason: string;
  readonly policyVersion: number;
  readonly step: number;
  readonly random: Random;
  readonly klCoefficient: number;
  readonly dumpFolder: string | undefined;
  readonly publishedType: "float32" | "bfloat16";
  readonly ownAdvantage: GroupAdvantage | undefined;
  readonly reference: StoredReference | undefined;
  readonly together: Together | undefined;
}

/** A tensor of the current weights, for those who sample. */
export interface PublishedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: "float32" | "bfloat16";
  /**
   * Its values in pieces, each read from the device, and found finite, when it is asked for.
   * @param take returns memory for the next piece in bfloat16, of that many values; default: new memory
   * @throws {LearnerError} BUSY during an update, NOT_FINITE
   */
  readonly pieces: (take?: (values: number) => Uint16Array) => Iterable<Float32Array | Uint16Array>;
}

export class Learner {
  readonly config: ResolvedLearnerConfig;
  /** The reason why `config.precision` was chosen. */
  readonly precisionReason: string;
  readonly #module: JitModule;
  readonly #model: ModelConfig;
  #policyVersion: number;
  #step: number;
  #random: Random;
  /** β of the next update. */
  #klCoefficient: number;
  readonly #dumpFolder: string | undefined;
  readonly #publishedType: "float32" | "bfloat16";
  readonly #ownAdvantage: GroupAdvantage | undefined;
  readonly #together: Together | undefined;
  #running: string | undefined;
  #closed = false;
  /** What closed this learner, unless its caller did. */
  #closedBy: Error | undefined;
  #saving: Promise<unknown> = Promise.resolve();
  /** Where the current reference is stored on disk. */
  #reference: StoredReference;
  readonly #earlier = new EarlierDifferences();
  /** Whether no step has been applied since the start, so that theory predicts what the first must look like. */
  #untouched: boolean;

  /** Use `createLearner`. */
  constructor(module: JitModule, config: ResolvedLearnerConfig, model: ModelConfig, start: LearnerStart) {
    this.#module = module;
    this.config = config;
    this.precisionReason = start.precisionReason;
    this.#model = model;
    this.#policyVersion = start.policyVersion;
    this.#step = start.step;
    this.#random = start.random;
    this.#klCoefficient = start.klCoefficient;
    this.#dumpFolder = start.dumpFolder;
    this.#publishedType = start.publishedType;
    this.#ownAdvantage = start.ownAdvantage;
    this.#reference = start.reference ?? new StoredReference();
    this.#together = start.together;
    this.#untouched = start.step === 0;
  }

  /** Rises by one with every update that changes the weights. */
  get policyVersion(): number {
    return this.#policyVersion;
  }

  /** Number of optimizer steps done. */
  get step(): number {
    return this.#step;
  }

  /** The execution mode: "eager", "graph" or "xla". */
  get mode(): JitModule["mode"] {
    return this.#module.mode;
  }

  /**
   * Trains on the groups: `epochs` passes of `miniBatches` optimizer steps.
   * @throws {LearnerError} GROUP_INVALID, ROW_INVALID, ROW_TOO_LONG, BATCH_EMPTY, NOT_FINITE,
   *   GRADIENT_GATE, LOGPROB_MISMATCH, FIRST_STEP_CHECK, MEMORY_EXHAUSTED, APPLY_FAILED, PEER_FAILED, ABORTED, BUSY, CLOSED
   */
  async update(
    groups: readonly Group[],
    options: {
      readonly shuffleRewards?: boolean;
      readonly signal?: AbortSignal;
      /** Filled with what the update computed for each token. */
      readonly tokens?: TrainedTokens | undefined;
    } = {},
  ): Promise<UpdateMetrics> {
    return await this.#exclusive("update", async () => {
      const startedAt = performance.now();
      const { config } = this;
      const random = restoreRandom(this.#random.state());
      const shuffle = options.shuffleRewards === true ? { shuffle: random } : {};
      const gathered = gatherRows(groups, {
        overlong: config.overlong,
        importance: config.importance,
        isTokenless: isTokenless(this.#model),
        ...shuffle,
      });
      if (gathered.rows.length === 0)
        throw new LearnerError(
          "BATCH_EMPTY",
          `the ${groups.length} groups contain no token to train; give groups whose loss masks are not all 0`,
        );
      const progress: UpdateProgress = {};
      const update: PolicyUpdate = {
        module: this.#module,
        config,
        ownAdvantage: this.#ownAdvantage,
        random,
        policyVersion: this.#policyVersion,
        klCoefficient: this.#klCoefficient,
        step: () => this.#step,
        earlier: this.#earlier,
        untouched: this.#untouched,
        onStep: () => this.#stepDone(),
        tokens: options.tokens,
        signal: options.signal,
        together: this.#together,
      };
      let recorder: UpdateRecorder;
      try {
        recorder = await runUpdate(gathered, update, progress);
      } catch (reason) {
        const error = withMemoryAdvice(reason, config, this.mode);
        const { shuffleRewards = false } = options;
        const said = await this.#dumpBatch(error, {
          policyVersion: update.policyVersion,
          shuffleRewards,
          groups,
        });
        const applied = progress.recorder?.steps() ?? 0;
        if (applied === 0 || endsLearner(said)) throw said;
        this.#random = random;
        this.#policyVersion += 1;
        throw afterSteps(said, applied, this.#policyVersion);
      }
      this.#random = random;
      this.#policyVersion += 1;
      const lengths = (progress.trainedRows ?? gathered.rows).map((row) => row.tokenIds.length);
      const metrics = recorder.finish({
        policyVersion: this.#policyVersion,
        step: this.#step,
        durationMs: performance.now() - startedAt,
        klCoefficient: this.#klCoefficient,
        flops: trainingFlops(this.#model, lengths),
      });
      this.#klCoefficient = nextKlCoefficient(
        this.#klCoefficient,
        config.kl,
        metrics.klK3,
        metrics.trajectories,
      );
      this.#earlier.add(metrics);
      const every = config.referenceRefreshUpdates;
      if (every !== null && this.#policyVersion % every === 0) this.#refreshReference();
      return metrics;
    });
  }

  /**
   * Compiles what updates of the policy run, one function per turn of the event loop, while there is nothing to train yet: on a
   * GPU the first update would otherwise wait for it. Ends when another call begins, which compiles what it needs; alone it may
   * be called at any time. Learners that train together, and modes that compile nothing, have nothing to prepare.
   * @throws {LearnerError} MEMORY_EXHAUSTED; {JitError} of the device
   */
  async prepare(): Promise<void> {
    if (this.#together !== undefined) return;
    const { step } = this;
    for (const prepare of preparations(this.#module, this.config, this.#untouched)) {
      await setImmediate();
      if (this.#closed || this.#running !== undefined || this.step !== step) return;
      await this.#exclusive("prepare", async () => prepare());
    }
  }

  /**
   * Returns whether an update could learn from the group: at least one of its conversations has an advantage, by this learner's
   * estimator and length penalties, before any KL in the reward. With equal rewards none has, unless lengths or steps differ.
   * @throws {LearnerError} GROUP_INVALID, ROW_INVALID, as `update` would
   */
  teaches(group: Group): boolean {
    const { overlong, importance } = this.config;
    const gathering = { overlong, importance, isTokenless: isTokenless(this.#model) };
    const { rows } = rowsFromGroups([group], this.config, gathering, this.#ownAdvantage);
    return rows.some(({ advantage }) => advantage !== 0);
  }

  /** One supervised optimizer step, mean over learned tokens; `learningRate` replaces the schedule's. */
  async sft(
    rows: readonly SupervisedRow[],
    options: { readonly learningRate?: number; readonly signal?: AbortSignal } = {},
  ): Promise<SupervisedMetrics> {
    return await this.#exclusive("sft", async () => {
      const done = await supervisedStep(this.#module, this.config, {
        ...{ rows, step: this.#step, learningRate: options.learningRate, signal: options.signal },
        together: this.#together,
      });
      this.#stepDone();
      this.#policyVersion += 1;
      return { policyVersion: this.#policyVersion, step: this.#step, ...done };
    });
  }

  /**
   * Returns a copy of the current weights; with adapters, of the base with the adapters merged in.
   * @param base the base of adapters as it was given; absent: as it is stored, which with precision bfloat16 is rounded
   */
  parameters(base?: Readonly<Record<string, Float32Array>>): Record<string, Float32Array> {
    this.#assertIdle("parameters");
    const { lora } = this.config;
    const names = Object.keys(parameterShapes(this.#model));
    if (lora === null) return this.#read(names);
    return mergeLora(this.#model, base ?? this.#read(names), this.adapters(), lora);
  }

  /** Returns a copy of the current adapters; `mergeLora` merges them into the base. @throws {LearnerError} CONFIG_INVALID without lora */
  adapters(): Record<string, Float32Array> {
    this.#assertIdle("adapters");
    if (this.config.lora === null)
      throw new LearnerError("CONFIG_INVALID", "lora is null, so there are no adapters; use parameters()");
    return this.#read(Object.keys(trainedShapes(this.#model, this.config)));
  }

  /**
   * Returns what samplers need of the current weights, in the order of the names; with adapters, only these. In bfloat16 (`publishedType`)
   * matrices are rounded on the device, and are on the host only piece by piece; norms and biases stay float32.
   */
  published(): readonly PublishedTensor[] {
    const { lora } = this.config;
    this.#assertIdle("published");
    const shapes = trainedShapes(this.#model, this.config);
    const isHalf = (name: string) =>
      lora === null && this.#publishedType === "bfloat16" && isPublishedHalf(name, shapes[name] ?? []);
    const names = Object.keys(shapes).sort();
    // Read together, because the device prepares every new set of names.
    let whole: Record<string, Float32Array> | undefined;
    const valuesOf = (name: string) => {
      this.#assertIdle("published");
      whole ??= this.#read(names.filter((other) => !isHalf(other)));
      const values = entry(whole, name);
      if (findNotFinite(values) !== undefined) throw notFinite(name, this.#policyVersion);
      return [values];
    };
    return names.map((name) => ({
      name,
      shape: shapes[name] ?? [],
      dtype: isHalf(name) ? "bfloat16" : "float32",
      pieces: isHalf(name) ? (take) => this.#halves(name, take) : () => valuesOf(name),
    }));
  }

  *#halves(name: string, take?: (values: number) => Uint16Array): Generator<Uint16Array> {
    const pieces = this.#module.readHalf(stateName("weights", name), 0, take)[Symbol.iterator]();
    for (;;) {
      this.#assertIdle("published");
      const { done, value } = pieces.next();
      if (done === true) return;
      if (!value.isFinite) throw notFinite(name, this.#policyVersion);
      yield value.bits;
    }
  }

  /**
   * Returns the SHA-256 of the current weights as they are passed on, as computed by `hashWeights`; with adapters, of the adapters
   * only, since the base does not change.
   */
  weightsHash(): string {
    if (this.config.lora !== null) return hashWeights(this.adapters());
    if (this.#publishedType === "float32") return hashWeights(this.parameters());
    return hashWeights(Object.fromEntries(this.published().map((tensor) => [tensor.name, wholeOf(tensor)])));
  }

  /** Makes the current weights the reference from now on. */
  #refreshReference(): void {
    const names = Object.keys(parameterShapes(this.#model));
    writeWhole(this.#module, this.config, this.#model, withKind("reference", this.#read(names)));
    this.#reference = new StoredReference();
  }

  /** Writes a batch that could not be trained to disk and adds its path to the error. */
  async #dumpBatch(error: unknown, batch: StepDump): Promise<unknown> {
    if (this.#dumpFolder === undefined || !(error instanceof LearnerError)) return error;
    if (error.code !== "NOT_FINITE" && error.code !== "GRADIENT_GATE") return error;
    return await dumpFailure(this.#dumpFolder, error, batch);
  }

  /**
   * Brings all learners that train together to rank 0's state; each calls it before their first update.
   * @throws {LearnerError} PEER_FAILED, MEMORY_EXHAUSTED, BUSY, CLOSED
   */
  async shareState(): Promise<void> {
    const together = this.#together;
    if (together === undefined) return;
    await this.#exclusive("shareState", async () => {
      const own = {
        policyVersion: this.#policyVersion,
        step: this.#step,
        random: [...this.#random.state()],
        klCoefficient: this.#klCoefficient,
      };
      const [first = own] = await together.gather(own);
      await together.shareEntries(savedSizes(this.#model, this.config), {
        read: (names) => readWhole(this.#module, this.config, this.#model, names),
        write: (values) => writeWhole(this.#module, this.config, this.#model, values),
      });
      this.#policyVersion = first.policyVersion;
      this.#step = first.step;
      this.#random = restoreRandom(first.random);
      this.#klCoefficient = first.klCoefficient;
      this.#untouched = first.step === 0;
    });
  }

  /** Returns everything that a fresh learner needs to continue, in host memory. */
  checkpoint(extra: CheckpointExtra): Checkpoint {
    return this.#snapshot(extra, savedNames(this.#model, this.config));
  }

  #snapshot(extra: CheckpointExtra, names: readonly string[]): Checkpoint {
    this.#assertIdle("checkpoint");
    return {
      policyVersion: this.#policyVersion,
      step: this.#step,
      random: this.#random.state(),
      klCoefficient: this.#klCoefficient,
      tensors: readWhole(this.#module, this.config, this.#model, names),
      config: this.config as unknown as JsonValue,
      model: this.#model as unknown as JsonValue,
      extra,
    };
  }

  /**
   * Writes a checkpoint of the current state under `root`, keeps the last ones and the best, and returns its
   * folder. Training may continue while it writes, once `onTaken` is called. A reference that is already on disk is linked, not written again.
   */
  async saveCheckpoint(
    root: string,
    extra: CheckpointExtra,
    options: { readonly keepLast?: number; readonly onTaken?: () => void } = {},
  ): Promise<string> {
    const reference = this.#reference;
    const names = savedNames(this.#model, this.config).filter(
      (name) => !(reference.isStored && name.startsWith(stateName("reference", ""))),
    );
    const checkpoint = this.#snapshot(extra, names);
    options.onTaken?.();
    // Checkpoints are written one after another, because a writer removes the remains of killed ones and must not
    // mistake a live one for those.
    const saving = this.#saving.then(() => writeCheckpoint(root, checkpoint, { ...options, reference }));
    this.#saving = saving.catch(() => undefined);
    return await saving;
  }

  /** Compile and run times by function. */
  get stats(): JitModule["stats"] {
    return this.#module.stats;
  }

  /** Frees all tensors. May be called again. @throws {LearnerError} BUSY while a call runs */
  close(): void {
    if (this.#closed) return;
    this.#assertIdle("close");
    this.#closed = true;
    this.#module.dispose();
  }

  #stepDone(): void {
    this.#step += 1;
    this.#untouched = false;
  }

  #read(names: readonly string[]): Record<string, Float32Array> {
    const stored = names.map((name) => stateName("weights", name));
    const state = readWhole(this.#module, this.config, this.#model, stored);
    return Object.fromEntries(names.map((name) => [name, state[stateName("weights", name)] as Float32Array]));
  }

  #assertIdle(call: string): void {
    const why = this.#closedBy === undefined ? "" : `. What closed it: ${this.#closedBy.message}`;
    if (this.#closed)
      throw new LearnerError(
        "CLOSED",
        `${call} was called on a closed learner; create another one from the last checkpoint${why}`,
        this.#closedBy && { cause: this.#closedBy },
      );
    if (this.#running !== undefined)
      throw new LearnerError("BUSY", `${call} was called while ${this.#running} runs; await it first`);
  }

  async #exclusive<T>(call: string, run: () => Promise<T>): Promise<T> {
    this.#assertIdle(call);
    this.#running = call;
    try {
      return await run();
    } catch (error) {
      if (endsLearner(error)) {
        this.#closed = true;
        this.#closedBy = error;
        this.#module.dispose();
      }
      throw withMemoryAdvice(error, this.config, this.mode);
    } finally {
      this.#running = undefined;
    }
  }
}

function notFinite(name: string, policyVersion: number): LearnerError {
  return new LearnerError(
    "NOT_FINITE",
    `weights.${name} of policy version ${policyVersion} have a value that is not finite as it is published; continue from an earlier checkpoint with a lower optimizer.learningRate`,
  );
}

function wholeOf({ shape, dtype, pieces }: PublishedTensor): Float32Array | Uint16Array {
  const whole = new (dtype === "float32" ? Float32Array : Uint16Array)(sizeOf(shape));
  let at = 0;
  for (const piece of pieces()) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Reads the checkpoint in `folder`, to be passed to `createLearner`. @throws {LearnerError} CHECKPOINT_CORRUPT */
export async function loadCheckpoint(folder: string): Promise<Checkpoint> {
  return await readCheckpoint(folder);
}

/** Adds the applied steps to the error; errors of other packages are returned unchanged. */
function afterSteps(error: unknown, appliedSteps: number, policyVersion: number): unknown {
  if (!(error instanceof LearnerError)) return error;
  const { code, message, details } = error;
  const said = message.replace(/^\[\w+\] /, "");
  return new LearnerError(
    code,
    `${said} (${appliedSteps} optimizer steps of this update had been applied; the weights are now version ${policyVersion})`,
    { details: { ...details, appliedSteps, policyVersion }, cause: error },
  );
}

/**
 * Responsibility: what of a run's learner is on disk: every k-th step a checkpoint, the steps between in a write-ahead log;
 *   and how a learner comes to stand where they end.
 * Not responsible for: when a step is saved and acknowledged (step-protocol.ts).
 *
 * Invariants:
 * - SAVES-1 (T1). A step is saved when its checkpoint is in place, or its record in the log: each names the groups.
 * - SAVES-2. Steps leave the log when a newer checkpoint is in place, and never before.
 *   Each checkpoint that is kept and was made with a log can be gone on from: the records lead on past newer ones.
 * - SAVES-3 (T5). Repeated steps make the weights that were published under their versions; on a CPU another hash ends the
 *   run. A GPU may round otherwise: then a new checkpoint is written before anything is announced.
 * - SAVES-4. Repeating that takes long leaves checkpoints on its way: a learner that is ended before it is ready begins
 *   further on the next time, however long the log is.
 */
import { dirname, join } from "node:path";
import {
  appendStep,
  type Checkpoint,
  type CheckpointExtra,
  type DurableFiles,
  dropSteps,
  durableFiles,
  type JsonValue,
  latestCheckpoint,
  loadCheckpoint,
  loggedDump,
  oldestOfLast,
  readCheckpointExtra,
  type StepRecord,
  stepsAfter,
  type WrittenDump,
} from "@palimpsest/learner";
import type { Group } from "@palimpsest/trajectories";
import { type Clock, PalimpsestError, systemClock } from "@palimpsest/wire";
import { z } from "zod";

/** What a run has on disk. */
export interface SavedRun {
  readonly folder: string;
  readonly checkpoint: Checkpoint;
  /** To repeat upon the checkpoint, in order. */
  readonly steps: readonly StepRecord[];
  /** Of the last of them, or of the checkpoint. */
  readonly consumedGroupIds: readonly string[];
  readonly dataCursor: JsonValue;
}

/** The part of a learner that is saved. */
export interface SavedLearner {
  readonly policyVersion: number;
  weightsHash(): string;
  update(
    groups: readonly Group[],
    options: { readonly shuffleRewards: boolean; readonly signal: AbortSignal },
  ): Promise<unknown>;
  saveCheckpoint(
    root: string,
    extra: CheckpointExtra,
    options: { readonly keepLast: number },
  ): Promise<string>;
}

export interface StepToSave {
  readonly step: number;
  /** Of the weights before and after it. */
  readonly parentHash: string;
  readonly weightsHash: string;
  readonly consumedGroupIds: readonly string[];
  readonly dataCursor: Readonly<Record<string, unknown>>;
  /** What the step was given; absent where every step gets a checkpoint. */
  readonly dump: WrittenDump | undefined;
}

export interface SaveSettings {
  readonly checkpointDir: string;
  /** Steps from one checkpoint to the next. */
  readonly everySteps: number;
  /** The run's last step gets a checkpoint. */
  readonly steps: number;
  readonly keepLast: number;
  readonly files?: DurableFiles;
}

/** A checkpoint names the weights that it holds, for the steps after it. */
const hashSchema = z.object({
  weightsHash: z.string().optional(),
  // Of runs that were begun before there was a log.
  last: z.object({ weightsHash: z.string() }).optional(),
});

/** Folder of the steps after a run's checkpoints, beside these. */
export function stepLogOf(checkpointDir: string): string {
  return join(dirname(checkpointDir), "log");
}

/** What lies in a run's folder; undefined before its first save. @throws {LearnerError} CHECKPOINT_CORRUPT */
export async function findSaved(checkpointDir: string): Promise<SavedRun | undefined> {
  const folder = await latestCheckpoint(checkpointDir);
  if (folder === undefined) return undefined;
  const checkpoint = await loadCheckpoint(folder);
  const steps = await loggedAfter(checkpointDir, checkpoint);
  const { consumedGroupIds, dataCursor } = steps.at(-1) ?? checkpoint.extra;
  return { folder, checkpoint, steps, consumedGroupIds, dataCursor };
}

/** Policy version that the saved steps end with, whoever saved them; 0 where there are none. */
export async function savedVersion(checkpointDir: string): Promise<number> {
  const folder = await latestCheckpoint(checkpointDir);
  if (folder === undefined) return 0;
  const checkpoint = await readCheckpointExtra(folder);
  const steps = await loggedAfter(checkpointDir, checkpoint);
  return steps.at(-1)?.policyVersion ?? checkpoint.policyVersion;
}

/** Steps of the log to repeat upon that checkpoint. */
export async function loggedAfter(
  checkpointDir: string,
  { policyVersion, extra }: Pick<Checkpoint, "policyVersion" | "extra">,
): Promise<readonly StepRecord[]> {
  const { weightsHash, last } = hashSchema.parse(extra.dataCursor ?? {});
  const hash = weightsHash ?? last?.weightsHash;
  if (hash === undefined) return [];
  return await stepsAfter(stepLogOf(checkpointDir), { policyVersion, weightsHash: hash });
}

export interface RepeatOptions {
  /** The learner computes on a GPU, whose sums may round otherwise the second time. */
  readonly gpu: boolean;
  readonly signal: AbortSignal;
  /** Told of each step before it is repeated. */
  readonly onStep?: (policyVersion: number) => void;
  /** Told of what a GPU makes otherwise. */
  readonly onDifference?: (text: string) => void;
  readonly clock?: Clock;
}

/** Repeating leaves a checkpoint whenever it has taken so long: well within what nodes and drivers give a start. */
export const repeatedCheckpointEveryMs = 60_000;

export class LearnerSaves {
  readonly #learner: SavedLearner;
  readonly #settings: SaveSettings;
  readonly #files: DurableFiles;
  #checkpoint: string;
  /** What a repeated step made otherwise. */
  #different: string | undefined;

  /** @param checkpoint folder of the newest checkpoint, or "" */
  constructor(learner: SavedLearner, settings: SaveSettings, checkpoint: string) {
    this.#learner = learner;
    this.#settings = settings;
    this.#files = settings.files ?? durableFiles;
    this.#checkpoint = checkpoint;
  }

  /** Folder of the newest checkpoint. */
  get checkpoint(): string {
    return this.#checkpoint;
  }

  /**
   * Repeats the steps after the checkpoint that the learner was made from (SAVES-3).
   * @throws {PalimpsestError} CONFIG_INVALID where a CPU makes other weights than those that were published
   */
  async repeat(
    { steps, consumedGroupIds, dataCursor }: SavedRun,
    { gpu, signal, onStep, onDifference, clock = systemClock }: RepeatOptions,
  ): Promise<void> {
    const learner = this.#learner;
    let savedAtMs = clock.monotonicMs();
    for (const record of steps) {
      // The disk may have been full when the new checkpoint was written.
      if (record.policyVersion <= learner.policyVersion) continue;
      onStep?.(record.policyVersion);
      const dump = await loggedDump(stepLogOf(this.#settings.checkpointDir), record);
      await learner.update(dump.groups, { shuffleRewards: dump.shuffleRewards, signal });
      const hash = learner.weightsHash();
      if (hash !== record.weightsHash)
        this.#different ??= `step ${record.policyVersion}, repeated from the log, makes weights ${hash}, and ${record.weightsHash} were published`;
      if (this.#different !== undefined && !gpu)
        throw new PalimpsestError(
          "CONFIG_INVALID",
          `${this.#different}; resume with the version, the backend and the learnerThreads that the run had`,
        );
      // The last one needs none: the learner is ready.
      if (record === steps.at(-1) || clock.monotonicMs() - savedAtMs < repeatedCheckpointEveryMs) continue;
      // It bears the hash that the next record goes on from, though a GPU may have made other weights.
      await this.saveCheckpoint({ ...record, dataCursor: cursorOf(record.dataCursor) });
      savedAtMs = clock.monotonicMs();
    }
    const different = this.#different;
    if (different === undefined) return;
    onDifference?.(different);
    await this.saveCheckpoint({
      weightsHash: learner.weightsHash(),
      consumedGroupIds,
      dataCursor: cursorOf(dataCursor),
    });
  }

  /** Resolves when the step is on disk (SAVES-1). */
  async save(step: StepToSave): Promise<void> {
    const { everySteps, steps, keepLast } = this.#settings;
    const { dump } = step;
    const isDue = step.step % everySteps === 0 || step.step === steps || dump === undefined;
    // Where an older checkpoint is kept, the log leads on from it past the newer one.
    if (dump !== undefined && (!isDue || keepLast > 1)) await this.#log(step, dump);
    if (isDue) await this.saveCheckpoint(step);
  }

  async #log(step: StepToSave, dump: WrittenDump): Promise<void> {
    const { parentHash, weightsHash, consumedGroupIds } = step;
    const record = {
      policyVersion: step.step,
      parentHash,
      weightsHash,
      consumedGroupIds: [...consumedGroupIds],
      dataCursor: json({ ...step.dataCursor, weightsHash }),
    };
    await appendStep(stepLogOf(this.#settings.checkpointDir), record, dump, this.#files);
  }

  async saveCheckpoint({
    weightsHash,
    consumedGroupIds,
    dataCursor,
  }: Pick<StepToSave, "weightsHash" | "consumedGroupIds" | "dataCursor">): Promise<void> {
    const { checkpointDir, keepLast } = this.#settings;
    const extra = {
      consumedGroupIds,
      dataCursor: json({ ...dataCursor, weightsHash }),
    };
    this.#checkpoint = await this.#learner.saveCheckpoint(checkpointDir, extra, { keepLast });
    // The steps since the oldest checkpoint that is kept stay: each of them can be repeated.
    await dropSteps(stepLogOf(checkpointDir), await oldestOfLast(checkpointDir, keepLast), this.#files);
  }
}

function cursorOf(kept: JsonValue): Readonly<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(kept);
}

function json(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

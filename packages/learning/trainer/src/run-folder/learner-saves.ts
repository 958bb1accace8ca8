/**
 * Responsibility: a run's learner on disk: a checkpoint at every k-th step, a write-ahead log of the steps between, and how a
 *   learner is restored from them.
 * Not responsible for: when a step is saved and acknowledged (step-protocol.ts).
 *
 * Invariants:
 * - SAVES-1 (T1). A step counts as saved once its checkpoint, or its record in the log, is completely written; both
 *   name the groups of the step.
 * - SAVES-2. A step is removed from the log only after a newer checkpoint is completely written. A run can be resumed
 *   from every kept checkpoint that was made with a log, because the log continues past newer checkpoints.
 * - SAVES-3 (T5). Replaying a step produces the weights that were published as its version; on a CPU a different hash
 *   ends the run. A GPU may round differently; a new checkpoint is then written before any weights are announced.
 * - SAVES-4. A long replay of the log writes checkpoints as it advances. A learner that is killed during the replay
 *   therefore continues from the last of them and makes progress with every attempt, however long the log is.
 * - SAVES-5. A checkpoint between logged steps is written beside the steps that follow, which wait only until the learner's state is on
 *   the host. One at a time is written; if one fails, the next step writes another and waits for it. The run's last step waits for its own.
 */

import { dirname, join } from "node:path";
import {
  appendStep,
  type Checkpoint,
  type CheckpointExtra,
  dropSteps,
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
import { type Clock, systemClock } from "@palimpsest/std";
import { type DurableFiles, durableFiles } from "@palimpsest/std/files";
import type { Group } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

/** The state of a run on disk. */
export interface SavedRun {
  readonly folder: string;
  readonly checkpoint: Checkpoint;
  /** Steps to replay on the checkpoint, in order. */
  readonly steps: readonly StepRecord[];
  /** Groups of the last of these steps, or of the checkpoint if there are none. */
  readonly consumedGroupIds: readonly string[];
  readonly dataCursor: JsonValue;
}

/** The parts of a learner that saving uses. */
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
    options: { readonly keepLast: number; readonly onTaken?: () => void },
  ): Promise<string>;
}

export interface StepToSave {
  readonly step: number;
  /** Hashes of the weights before and after it. */
  readonly parentHash: string;
  readonly weightsHash: string;
  readonly consumedGroupIds: readonly string[];
  readonly dataCursor: Readonly<Record<string, unknown>>;
  /** The inputs of the step; absent if every step gets a checkpoint. */
  readonly dump: WrittenDump | undefined;
}

type SavedState = Pick<StepToSave, "weightsHash" | "consumedGroupIds" | "dataCursor">;

export interface SaveSettings {
  readonly checkpointDir: string;
  /** Number of steps from one checkpoint to the next. */
  readonly everySteps: number;
  /** Number of steps of the run; its last step gets a checkpoint. */
  readonly steps: number;
  readonly keepLast: number;
  readonly files?: DurableFiles;
  /** Called if a checkpoint that was written beside later steps has failed (SAVES-5). */
  readonly onLate?: (reason: unknown) => void;
}

/** A checkpoint names the hash of its weights, for the steps after it. */
const hashSchema = z.object({
  weightsHash: z.string().optional(),
  // Runs that were started before there was a log have the hash here.
  last: z.object({ weightsHash: z.string() }).optional(),
});

/** Folder of the log of steps after a run's checkpoints, next to these. */
export function stepLogOf(checkpointDir: string): string {
  return join(dirname(checkpointDir), "log");
}

/** Finds what is saved in a run's folder; undefined before its first save. @throws {LearnerError} CHECKPOINT_CORRUPT */
export async function findSaved(checkpointDir: string): Promise<SavedRun | undefined> {
  const folder = await latestCheckpoint(checkpointDir);
  if (folder === undefined) return undefined;
  const checkpoint = await loadCheckpoint(folder);
  const steps = await loggedAfter(checkpointDir, checkpoint);
  const { consumedGroupIds, dataCursor } = steps.at(-1) ?? checkpoint.extra;
  return { folder, checkpoint, steps, consumedGroupIds, dataCursor };
}

/** Returns the policy version of the last saved step, whoever saved it; 0 if there is none. */
export async function savedVersion(checkpointDir: string): Promise<number> {
  const folder = await latestCheckpoint(checkpointDir);
  if (folder === undefined) return 0;
  const checkpoint = await readCheckpointExtra(folder);
  const steps = await loggedAfter(checkpointDir, checkpoint);
  return steps.at(-1)?.policyVersion ?? checkpoint.policyVersion;
}

/** Returns the steps of the log to replay on that checkpoint. */
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
  /** Whether the learner computes on a GPU, whose sums may round differently the second time. */
  readonly gpu: boolean;
  readonly signal: AbortSignal;
  /** Called with each step before it is replayed. */
  readonly onStep?: (policyVersion: number) => void;
  /** Called with a description of what a GPU computed differently. */
  readonly onDifference?: (text: string) => void;
  readonly clock?: Clock;
}

/** A replay leaves a checkpoint whenever this much time has passed, which is well within what nodes and drivers allow for a start. */
const repeatedCheckpointEveryMs = 60_000;

export class LearnerSaves {
  readonly #learner: SavedLearner;
  readonly #settings: SaveSettings;
  readonly #files: DurableFiles;
  #checkpoint: string;
  /** Resolves when no checkpoint is being written. */
  #beside: Promise<void> = Promise.resolve();
  #besideFailed = false;
  /** How a replayed step differed from the run's, if one did. */
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
   * Replays the steps after the checkpoint that the learner was created from (SAVES-3).
   * @throws {PalimpsestError} CONFIG_INVALID if a CPU computes other weights than those that were published
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
        this.#different ??= `step ${record.policyVersion}, replayed from the log, gave weights ${hash}, but ${record.weightsHash} had been published`;
      if (this.#different !== undefined && !gpu)
        throw new PalimpsestError(
          "CONFIG_INVALID",
          `${this.#different}; resume with the Palimpsest version, the backend and the learnerThreads that the run had`,
        );
      // The last one needs no checkpoint, because the learner is then ready.
      if (record === steps.at(-1) || clock.monotonicMs() - savedAtMs < repeatedCheckpointEveryMs) continue;
      // It carries the hash that the next record continues from, though a GPU may have computed other weights.
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
    const isWaitedFor = step.step === steps || dump === undefined;
    // If an older checkpoint is kept, the log continues from it past the newer one.
    if (dump !== undefined && (!isWaitedFor || keepLast > 1)) await this.#log(step, dump);
    const isDue = step.step % everySteps === 0;
    if (isDue) await this.#beside;
    if (isWaitedFor || this.#besideFailed) {
      await this.saveCheckpoint(step);
      this.#besideFailed = false;
    } else if (isDue) await this.#saveBeside(step);
  }

  /** Resolves when the learner may go on (SAVES-5). */
  async #saveBeside(step: StepToSave): Promise<void> {
    await new Promise<void>((taken) => {
      this.#beside = this.#write(step, taken)
        .catch((reason: unknown) => {
          this.#besideFailed = true;
          this.#settings.onLate?.(reason);
        })
        .finally(taken);
    });
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

  async saveCheckpoint(state: SavedState): Promise<void> {
    await this.#beside;
    await this.#write(state, () => undefined);
  }

  async #write(
    { weightsHash, consumedGroupIds, dataCursor }: SavedState,
    onTaken: () => void,
  ): Promise<void> {
    const { checkpointDir, keepLast } = this.#settings;
    const extra = {
      consumedGroupIds,
      dataCursor: json({ ...dataCursor, weightsHash }),
    };
    this.#checkpoint = await this.#learner.saveCheckpoint(checkpointDir, extra, { keepLast, onTaken });
    // The steps since the oldest kept checkpoint stay, so that each of them can be replayed.
    await dropSteps(stepLogOf(checkpointDir), await oldestOfLast(checkpointDir, keepLast), this.#files);
  }
}

function cursorOf(kept: JsonValue): Readonly<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(kept);
}

function json(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/**
 * Responsibility: checkpoints as folders that appear either complete or not at all.
 * Not responsible for: deciding when to write one, or what the trainer's own fields mean.
 *
 * CHECKPOINT-1. A folder named `policy-…` is complete: it is filled under another name, synced, then renamed.
 * CHECKPOINT-2. Writing never touches an older checkpoint before the new one is in place.
 * CHECKPOINT-3. The newest `keepLast` and the best by metric stay; all others are removed.
 * CHECKPOINT-4. What is read is what was written, byte for byte, or the read fails.
 */

import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { durableFiles, makeFolder, namesIn } from "@palimpsest/std/files";
import type { z } from "zod";
import { LearnerError } from "../config/error.js";
import {
  type CheckpointExtra,
  extraOf,
  type JsonValue,
  MANIFEST,
  type Manifest,
  readManifest,
  type tensorFileSchema,
} from "./checkpoint-manifest.js";
import { readRatings } from "./checkpoint-ratings.js";
import { referenceFile, StoredReference, splitReference } from "./stored-reference.js";
import { readTensorFile, writeTensorFile } from "./tensor-file.js";

export type { CheckpointExtra, JsonValue } from "./checkpoint-manifest.js";

/** Everything that a fresh process needs to continue as if it had never stopped. */
export interface Checkpoint {
  readonly policyVersion: number;
  /** Number of optimizer steps done; schedule and bias correction depend on it. */
  readonly step: number;
  /** State entries by name: weights, both moments, and the reference if there is one. */
  readonly tensors: Readonly<Record<string, Float32Array>>;
  /** State of the learner's random generator. */
  readonly random: readonly number[];
  /** β of the next update; absent in checkpoints of earlier versions. */
  readonly klCoefficient?: number;
  /** The resolved learner configuration. */
  readonly config: JsonValue;
  readonly model: JsonValue;
  readonly extra: CheckpointExtra;
  /** Where its reference is stored, for a checkpoint that was read from disk. */
  readonly storedReference?: StoredReference;
}

/** A folder's name contains the policy version, and how often that version had been written before. */
const FOLDER = /^policy-(\d{8,})(?:-(\d+))?$/;
const TEMPORARY = /^\.writing-/;
const DATA = "state.bin";

/**
 * Writes a checkpoint under `root` and returns its folder. If the same policy version is written again, it gets
 * a new folder, and the earlier one is then removed.
 */
export async function writeCheckpoint(
  root: string,
  checkpoint: Checkpoint,
  options: {
    readonly keepLast?: number;
    /** Where the reference is stored, for a checkpoint without its tensors; updated to where it is stored afterwards. */
    readonly reference?: StoredReference;
  } = {},
): Promise<string> {
  makeFolder(root);
  // Remains of killed writers would take up the space that this checkpoint needs.
  await remove(
    root,
    (await readdir(root)).filter((name) => TEMPORARY.test(name)),
  );
  const name = await freeName(root, checkpoint.policyVersion);
  const temporary = join(root, `.writing-${name}-${randomBytes(4).toString("hex")}`);
  const folder = join(root, name);
  const { keepLast = 2, reference = new StoredReference() } = options;
  try {
    await fill(temporary, checkpoint, reference);
    await rename(temporary, folder);
  } catch (reason) {
    // A full disk would stay full with these remains.
    await remove(root, [basename(temporary)]).catch(() => undefined);
    throw reason;
  }
  await durableFiles.syncFolder(root);
  reference.moved(folder);
  await prune(root, keepLast);
  return folder;
}

async function fill(folder: string, checkpoint: Checkpoint, stored: StoredReference): Promise<void> {
  await mkdir(folder);
  const tensors = splitReference(checkpoint.tensors);
  const written = await writeTensorFile(join(folder, DATA), tensors.changing);
  const reference = await stored.place(folder, tensors.reference);
  const { consumedGroupIds, dataCursor, metric } = checkpoint.extra;
  const manifest: Manifest = {
    format: "palimpsest-checkpoint",
    formatVersion: 2,
    policyVersion: checkpoint.policyVersion,
    step: checkpoint.step,
    random: [...checkpoint.random],
    ...(checkpoint.klCoefficient === undefined ? {} : { klCoefficient: checkpoint.klCoefficient }),
    config: checkpoint.config,
    model: checkpoint.model,
    consumedGroupIds: [...consumedGroupIds],
    dataCursor,
    metric: metric ?? null,
    ...written,
    ...(reference === undefined ? {} : { reference }),
  };
  await durableFiles.write(join(folder, MANIFEST), Buffer.from(`${JSON.stringify(manifest)}\n`));
  await durableFiles.syncFolder(folder);
}

/** Returns the folder of the newest checkpoint under `root`; undefined if there is none. */
export async function latestCheckpoint(root: string): Promise<string | undefined> {
  const newest = (await folders(root)).at(-1);
  return newest === undefined ? undefined : join(root, newest.name);
}

/** Returns the folder of the newest checkpoint of a version below `policyVersion`; undefined if there is none. */
export async function checkpointBefore(root: string, policyVersion: number): Promise<string | undefined> {
  const before = (await folders(root)).filter((folder) => folder.policyVersion < policyVersion).at(-1);
  return before === undefined ? undefined : join(root, before.name);
}

/** Returns the policy version of the oldest of the newest `count` checkpoints under `root`; 0 if there is none. */
export async function oldestOfLast(root: string, count: number): Promise<number> {
  const versions = [...new Set((await folders(root)).map(({ policyVersion }) => policyVersion))];
  return versions.slice(-Math.max(count, 1))[0] ?? 0;
}

/** Returns the folder of the checkpoint with the highest metric, the newer of equals; undefined if none has one. */
export async function bestCheckpoint(root: string): Promise<string | undefined> {
  const best = bestOf(await metrics(root));
  return best === undefined ? undefined : join(root, best);
}

/**
 * @param folder as returned by `writeCheckpoint` or `latestCheckpoint`
 * @throws {LearnerError} CHECKPOINT_CORRUPT naming folder and damage
 */
export async function readCheckpoint(folder: string): Promise<Checkpoint> {
  const corrupt = (what: string, cause?: unknown) =>
    new LearnerError(
      "CHECKPOINT_CORRUPT",
      `${folder}: ${what}; restore it, or remove this folder: the run then resumes from the previous checkpoint, if its log has all steps since`,
      { cause },
    );
  const manifest = await readManifest(folder).catch((cause: unknown) => {
    throw corrupt(`${MANIFEST} cannot be read`, cause);
  });
  const read = async (path: string, file: z.infer<typeof tensorFileSchema>) => {
    const tensors = await readTensorFile(path, file).catch((cause: unknown) => {
      throw corrupt(`${basename(path)} cannot be read`, cause);
    });
    if (typeof tensors === "string") throw corrupt(`${basename(path)} ${tensors}`);
    return tensors;
  };
  const { reference } = manifest;
  const tensors = {
    ...(await read(join(folder, DATA), manifest)),
    ...(reference === undefined ? {} : await read(referenceFile(folder), reference)),
  };
  const { policyVersion, step, random, config, model } = manifest;
  const extra = extraOf(manifest);
  const { klCoefficient } = manifest;
  const steering = klCoefficient === undefined ? {} : { klCoefficient };
  const stored =
    reference === undefined ? {} : { storedReference: new StoredReference({ folder, file: reference }) };
  return { policyVersion, step, random, ...steering, config, model, tensors, extra, ...stored };
}

/** Reads a checkpoint's fields other than its tensors. @throws {LearnerError} CHECKPOINT_CORRUPT */
export async function readCheckpointExtra(
  folder: string,
): Promise<{ readonly policyVersion: number; readonly extra: CheckpointExtra }> {
  try {
    const manifest = await readManifest(folder);
    return { policyVersion: manifest.policyVersion, extra: extraOf(manifest) };
  } catch (cause) {
    throw new LearnerError("CHECKPOINT_CORRUPT", `${folder}: ${MANIFEST} cannot be read`, { cause });
  }
}

/** A complete checkpoint of a run. */
export interface ListedCheckpoint {
  readonly folder: string;
  readonly policyVersion: number;
  /** The metric that `bestCheckpoint` compares; null if the version was not evaluated. */
  readonly metric: number | null;
}

/** Lists the checkpoints under `root`, oldest first; of a version that was written again, the later one. */
export async function listCheckpoints(root: string): Promise<ListedCheckpoint[]> {
  return (await metrics(root)).map(({ name, policyVersion, metric }) => ({
    folder: join(root, name),
    policyVersion,
    metric,
  }));
}

interface RatedFolder {
  readonly name: string;
  readonly policyVersion: number;
  readonly metric: number | null;
}

interface Folder {
  readonly name: string;
  readonly policyVersion: number;
  /** Whether another folder has a later writing of the same version. */
  readonly superseded: boolean;
}

/** Returns an unused name: rename cannot replace a folder, and an earlier one must not be removed first (CHECKPOINT-2). */
async function freeName(root: string, policyVersion: number): Promise<string> {
  const taken = (await folders(root)).filter((folder) => folder.policyVersion === policyVersion);
  const name = `policy-${String(policyVersion).padStart(8, "0")}`;
  const last = FOLDER.exec(taken.at(-1)?.name ?? "");
  return last === null ? name : `${name}-${Number(last[2] ?? 0) + 1}`;
}

/** Lists complete checkpoints, oldest first. */
async function folders(root: string): Promise<readonly Folder[]> {
  return (await namesIn(root))
    .flatMap((name) => {
      const match = FOLDER.exec(name);
      return match === null
        ? []
        : [{ name, policyVersion: Number(match[1]), writing: Number(match[2] ?? 0) }];
    })
    .sort((a, b) => a.policyVersion - b.policyVersion || a.writing - b.writing)
    .map(({ name, policyVersion }, index, sorted) => {
      const superseded = sorted[index + 1]?.policyVersion === policyVersion;
      return { name, policyVersion, superseded };
    });
}

async function metrics(root: string): Promise<RatedFolder[]> {
  const found = (await folders(root)).filter((folder) => !folder.superseded);
  const ratings = await readRatings(root);
  return await Promise.all(
    found.map(async ({ name, policyVersion }) => {
      // A damaged folder cannot be the best one; reading it reports what is wrong with it.
      const manifest = await readManifest(join(root, name)).catch(() => undefined);
      return { name, policyVersion, metric: ratings.get(policyVersion) ?? manifest?.metric ?? null };
    }),
  );
}

function bestOf(
  candidates: readonly { readonly name: string; readonly metric: number | null }[],
): string | undefined {
  let best: { readonly name: string; readonly metric: number } | undefined;
  for (const { name, metric } of candidates) {
    if (metric !== null && (best === undefined || metric >= best.metric)) best = { name, metric };
  }
  return best?.name;
}

async function prune(root: string, keepLast: number): Promise<void> {
  const candidates = await metrics(root);
  const keep = new Set(candidates.slice(-Math.max(keepLast, 1)).map(({ name }) => name));
  const best = bestOf(candidates);
  if (best !== undefined) keep.add(best);
  const gone = (await readdir(root)).filter((name) => FOLDER.test(name) && !keep.has(name));
  await remove(root, gone);
}

async function remove(root: string, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => durableFiles.remove(join(root, name))));
}

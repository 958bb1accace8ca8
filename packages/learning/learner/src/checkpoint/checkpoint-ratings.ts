/** Responsibility: ratings by evaluations of policy versions whose checkpoints were already written, in one file beside them.
 *  Not responsible for: which checkpoints are kept (checkpoint.ts). */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, replaceFile } from "@palimpsest/std/files";
import { z } from "zod";
import { LearnerError } from "../config/error.js";

const FILE = "ratings.json";
const ratingsSchema = z.record(z.string().regex(/^\d+$/), z.number());

/**
 * Records the rating of a policy version by an evaluation; higher is better. The newest of two ratings of one version counts.
 * The rating applies to every checkpoint of that version, written before or after it, and is on disk when this resolves.
 * Only one process at a time may rate the checkpoints of a folder.
 * @param metric finite
 * @throws {LearnerError} CHECKPOINT_CORRUPT if the file of earlier ratings cannot be read
 */
export async function rateCheckpoint(root: string, policyVersion: number, metric: number): Promise<void> {
  const ratings = await readRatings(root);
  if (ratings.get(policyVersion) === metric) return;
  ratings.set(policyVersion, metric);
  makeFolder(root);
  const path = join(root, FILE);
  await replaceFile(path, `${JSON.stringify(Object.fromEntries(ratings))}\n`);
}

/** Reads the ratings by policy version. @throws {LearnerError} CHECKPOINT_CORRUPT */
export async function readRatings(root: string): Promise<Map<number, number>> {
  const path = join(root, FILE);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  try {
    const ratings = ratingsSchema.parse(JSON.parse(text));
    return new Map(Object.entries(ratings).map(([version, metric]) => [Number(version), metric]));
  } catch (cause) {
    throw new LearnerError(
      "CHECKPOINT_CORRUPT",
      `${path} cannot be read; remove it, and the best checkpoint is determined anew from the next evaluation on`,
      { cause },
    );
  }
}

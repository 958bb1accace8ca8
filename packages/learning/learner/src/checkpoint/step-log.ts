/**
 * Responsibility: the steps after a checkpoint, as a write-ahead log: the inputs of each, and the hash of the weights that
 *   it produced. A learner that loads the checkpoint and replays them reaches the state of the one that wrote them.
 * Not responsible for: deciding which steps get a checkpoint, replaying them.
 *
 * Invariants:
 * - STEPLOG-1. A record named `step-….json` is complete, and so is the dump that it names: the dump is on disk before it.
 * - STEPLOG-2. Nothing in the log is replaced: a step that two learners write has two records, and the one to resume from is
 *   found by the hashes of the weights before and after, which form a chain.
 * - STEPLOG-3. What is read is what was written, byte for byte, or the read fails.
 */

import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { sha256Of } from "@palimpsest/std";
import { bytesOf, type DurableFiles, durableFiles, makeFolder, namesIn } from "@palimpsest/std/files";
import { decodeStepDump, type StepDump } from "@palimpsest/trajectories";
import { z } from "zod";
import { LearnerError } from "../config/error.js";
import { longestChain } from "./step-chain.js";
import type { WrittenDump } from "./step-dumps.js";

const RECORD = /^step-(\d{8,})-([0-9a-f]{16})\.json$/;
const DUMP = /^step-(\d{8,})-([0-9a-f]{16})\.pb$/;
const PART = /^step-(\d{8,})-.*\.part$/;

const recordSchema = z.object({
  format: z.literal("palimpsest-step"),
  formatVersion: z.literal(1),
  /** Policy version that the step produced. */
  policyVersion: z.int().min(1),
  /** Hash of the weights before the step. */
  parentHash: z.string(),
  /** Hash of the weights after it. */
  weightsHash: z.string(),
  /** Ids of the trained groups, as in a checkpoint. */
  consumedGroupIds: z.array(z.string()),
  dataCursor: z.json(),
  writtenAtMs: z.number(),
  dump: z.object({ name: z.string(), sizeBytes: z.int().min(0), sha256: z.string() }),
});
export type StepRecord = Readonly<z.infer<typeof recordSchema>>;

/** The fields of a step besides its dump. */
export type LoggedStep = Omit<StepRecord, "format" | "formatVersion" | "writtenAtMs" | "dump">;

/** Appends a step to the log; it is on disk when this resolves. Repeating it changes nothing. */
export async function appendStep(
  folder: string,
  step: LoggedStep,
  dump: WrittenDump,
  files: DurableFiles = durableFiles,
): Promise<void> {
  makeFolder(folder);
  const stem = `step-${String(step.policyVersion).padStart(8, "0")}`;
  const name = `${stem}-${dump.sha256.slice(0, 16)}.pb`;
  if (!(await namesIn(folder)).includes(name)) {
    const part = join(folder, `${name}.part`);
    await files.remove(part);
    await files.link(dump.file, part);
    await files.rename(part, join(folder, name));
  }
  const record: StepRecord = {
    format: "palimpsest-step",
    formatVersion: 1,
    ...step,
    writtenAtMs: Date.now(),
    dump: { name, sizeBytes: dump.sizeBytes, sha256: dump.sha256 },
  };
  if (await isThere(folder, record)) {
    // Its name may not have reached the disk when an earlier attempt failed.
    await files.syncFolder(folder);
    return;
  }
  const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
  const file = join(folder, `${stem}-${shortHash(bytes)}.json`);
  await files.write(`${file}.part`, bytes);
  // The dump's name must not reach the disk after the record's.
  await files.syncFolder(folder);
  await files.rename(`${file}.part`, file);
  await files.syncFolder(folder);
}

/**
 * Returns the steps to replay on a checkpoint, in order: of all chains that begin with its weights the longest one, and of
 * equally long ones the one that was written last.
 * @throws {LearnerError} CHECKPOINT_CORRUPT naming the file
 */
export async function stepsAfter(
  folder: string,
  from: Pick<StepRecord, "policyVersion" | "weightsHash">,
): Promise<readonly StepRecord[]> {
  const names = (await namesIn(folder)).filter((name) => {
    const match = RECORD.exec(name);
    return match !== null && Number(match[1]) > from.policyVersion;
  });
  return longestChain(await Promise.all(names.map((name) => readRecord(join(folder, name)))), from);
}

/** Reads the inputs of a logged step. @throws {LearnerError} CHECKPOINT_CORRUPT; {PalimpsestError} CODEC */
export async function loggedDump(folder: string, { dump }: Pick<StepRecord, "dump">): Promise<StepDump> {
  const file = join(folder, dump.name);
  const bytes = await bytesOf(file);
  if (bytes === undefined) throw corrupt(file, "does not exist");
  if (bytes.length !== dump.sizeBytes) throw corrupt(file, `has ${bytes.length} bytes of ${dump.sizeBytes}`);
  if (sha256Of(bytes) !== dump.sha256) throw corrupt(file, "does not have the recorded hash");
  return decodeStepDump(bytes);
}

/**
 * Removes the steps up to `policyVersion`, which a checkpoint covers, and what killed writers left of them. A later step may be being
 * written meanwhile.
 */
export async function dropSteps(
  folder: string,
  policyVersion: number,
  files: DurableFiles = durableFiles,
): Promise<void> {
  const names = await namesIn(folder);
  const isOld = (name: string, pattern: RegExp) =>
    Number(pattern.exec(name)?.[1] ?? Infinity) <= policyVersion;
  // Records first, because a record without its dump would look damaged.
  for (const name of names.filter((one) => isOld(one, RECORD) || isOld(one, PART)))
    await files.remove(join(folder, name));
  for (const name of names.filter((one) => isOld(one, DUMP))) await files.remove(join(folder, name));
}

/** Returns whether the log already has that record, written at any time. */
async function isThere(folder: string, record: StepRecord): Promise<boolean> {
  const { policyVersion, writtenAtMs } = record;
  const names = (await namesIn(folder)).filter((name) => Number(RECORD.exec(name)?.[1]) === policyVersion);
  for (const name of names) {
    // A damaged record is not this one; reading the log reports it.
    const written = await readRecord(join(folder, name)).catch(() => undefined);
    if (written !== undefined && isDeepStrictEqual({ ...written, writtenAtMs }, record)) return true;
  }
  return false;
}

async function readRecord(file: string): Promise<StepRecord> {
  const bytes = await bytesOf(file);
  if (bytes === undefined) throw corrupt(file, "no longer exists");
  if (shortHash(bytes) !== RECORD.exec(basename(file))?.[2])
    throw corrupt(file, "does not have the hash in its name");
  return recordSchema.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
}

function corrupt(file: string, what: string): LearnerError {
  return new LearnerError(
    "CHECKPOINT_CORRUPT",
    `${file} ${what}; restore it, or begin another run from this one's last checkpoint, with model: { checkpoint: RUN }`,
  );
}

const shortHash = (bytes: Uint8Array) => sha256Of(bytes).slice(0, 16);

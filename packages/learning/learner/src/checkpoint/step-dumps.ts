import { join } from "node:path";
import { sha256Of } from "@palimpsest/std";
import { durableFiles, makeFolder, namesIn, replaceFile } from "@palimpsest/std/files";
import { encodeStepDump, type StepDump } from "@palimpsest/trajectories";

const FILE = /^step-(\d{8,})\.pb$/;

/** A dump on disk, and its contents. */
export interface WrittenDump {
  readonly file: string;
  readonly sizeBytes: number;
  /** Hash of the file, in hex. */
  readonly sha256: string;
}

/** Returns the path of the file with the inputs of step `step`. */
export function stepDumpFile(folder: string, step: number): string {
  return join(folder, `step-${String(step).padStart(8, "0")}.pb`);
}

/**
 * Writes the inputs of a step, as a StepDump of protos/palimpsest/v1/trajectory.proto, either completely or not at all, and
 * keeps the last `keepLast` of the folder.
 */
export async function writeStepDump(
  folder: string,
  step: number,
  dump: StepDump,
  options: { readonly keepLast: number },
): Promise<WrittenDump> {
  makeFolder(folder);
  const file = stepDumpFile(folder, step);
  const bytes = encodeStepDump(dump);
  await replaceFile(file, bytes);
  const steps = (await namesIn(folder)).filter((name) => FILE.test(name)).sort();
  const gone = steps.slice(0, Math.max(steps.length - options.keepLast, 0));
  await Promise.all(gone.map((name) => durableFiles.remove(join(folder, name))));
  return { file, sizeBytes: bytes.length, sha256: sha256Of(bytes) };
}

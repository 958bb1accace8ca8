import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeStepDump, type StepDump } from "@palimpsest/trajectories";

const FILE = /^step-(\d{8,})\.pb$/;

/** File of what step `step` was given. */
export function stepDumpFile(folder: string, step: number): string {
  return join(folder, `step-${String(step).padStart(8, "0")}.pb`);
}

/**
 * Writes what a step was given, as a StepDump of protos/palimpsest/v1/trajectory.proto, whole or not at all, and
 * keeps the last `keepLast` of the folder.
 */
export async function writeStepDump(
  folder: string,
  step: number,
  dump: StepDump,
  options: { readonly keepLast: number },
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = stepDumpFile(folder, step);
  await writeFile(`${file}.part`, encodeStepDump(dump));
  await rename(`${file}.part`, file);
  const steps = (await readdir(folder)).filter((name) => FILE.test(name)).sort();
  const gone = steps.slice(0, Math.max(steps.length - options.keepLast, 0));
  await Promise.all(gone.map((name) => rm(join(folder, name), { force: true })));
  return file;
}

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "@palimpsest/std/files";
import { encodeStepDump, type StepDump } from "@palimpsest/trajectories";
import { LearnerError } from "../config/error.js";

/**
 * Writes the batch at which an update stopped: `failed-policy-N.pb` (a StepDump, for replay) and `failed-policy-N.json`
 * (the error and its facts). Returns the error with the path in its message; if the disk cannot be written, the message
 * says so and keeps the original error.
 */
export async function dumpFailure(
  folder: string,
  error: LearnerError,
  batch: StepDump,
): Promise<LearnerError> {
  const file = join(folder, `failed-policy-${batch.policyVersion}`);
  const { code, message, details } = error;
  let where: string;
  try {
    makeFolder(folder);
    const facts = { code, message, details, policyVersion: batch.policyVersion };
    await writeFile(`${file}.json`, `${JSON.stringify(facts, numbersAsText, 2)}\n`);
    where = `batch: ${file}.json`;
    await writeFile(`${file}.pb`, encodeStepDump(batch));
    where = `batch: ${file}.pb`;
  } catch (reason) {
    where = `the batch could not be written to ${file}.pb: ${String(reason)}`;
  }
  return new LearnerError(code, `${message.replace(/^\[\w+\] /, "")} (${where})`, { details, cause: error });
}

/** JSON has neither NaN nor infinity, which such files are about, so numbers become text; typed arrays become lists. */
function numbersAsText(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as Uint8Array) : value;
}

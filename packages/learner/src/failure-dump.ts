import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeStepDump, type StepDump } from "@palimpsest/trajectories";
import { LearnerError } from "./error.js";

/**
 * Writes the batch that an update stopped at: `failed-policy-N.pb` (a StepDump, for replay) and
 * `failed-policy-N.json` (error and its facts). Returns the error with the place in its message; a disk that cannot
 * be written adds that instead, and hides nothing.
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
    await mkdir(folder, { recursive: true });
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

/** JSON has no NaN and no infinity, which is what such a file is about; typed arrays as lists. */
function numbersAsText(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as Uint8Array) : value;
}

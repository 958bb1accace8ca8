import { existsSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";

/**
 * Returns what to tell a user who stopped a run. Calls in progress fail with errors of their own at that moment, which
 * would explain nothing.
 */
export function stoppedRun(reason: unknown, runDir: string): PalimpsestError {
  const why = reason instanceof Error ? reason.message : String(reason);
  const resume = existsSync(join(runDir, "run.json"))
    ? `; the same command with --run-dir ${shellWord(runDir)} resumes it`
    : "";
  return new PalimpsestError("CANCELLED", `the run was ${why}${resume}`, { cause: reason });
}

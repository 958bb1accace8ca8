import { PalimpsestError } from "@palimpsest/wire";
import { printable, printableLine } from "./display/printable.js";

/** Says in one line what went wrong and what fixes it; with PALIMPSEST_DEBUG=1 also where. Returns the exit code. */
export function reportFailure(reason: unknown): number {
  const message =
    reason instanceof PalimpsestError
      ? reason.rawMessage
      : reason instanceof Error
        ? reason.message
        : String(reason);
  // A message may carry what others chose: the name of a job, what a constructor threw.
  process.stderr.write(`error: ${printableLine(message)}\n`);
  if (process.env["PALIMPSEST_DEBUG"] === "1" && reason instanceof Error)
    process.stderr.write(`${printable(reason.stack ?? "")}\n`);
  return 1;
}

import { PalimpsestError } from "@palimpsest/wire";

/** Says in one line what went wrong and what mends it; with PALIMPSEST_DEBUG=1 also where. Returns the exit code. */
export function reportFailure(reason: unknown): number {
  const message =
    reason instanceof PalimpsestError
      ? reason.rawMessage
      : reason instanceof Error
        ? reason.message
        : String(reason);
  process.stderr.write(`error: ${message.split("\n").join(" ")}\n`);
  if (process.env["PALIMPSEST_DEBUG"] === "1" && reason instanceof Error)
    process.stderr.write(`${reason.stack ?? ""}\n`);
  return 1;
}

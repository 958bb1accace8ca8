import { CodedError } from "@palimpsest/std";
import { exitCodeOf } from "../input/exit-codes.js";
import { fileFailure, meantPath } from "./file-failure.js";
import { printable, printableLine } from "./printable.js";

/**
 * Prints in one line what went wrong and how to fix it, with PALIMPSEST_DEBUG=1 also the stack. Returns the exit
 * code.
 */
export function reportFailure(reason: unknown): number {
  const message = missingPackage(reason) ?? fileFailure(reason, process.argv.slice(2)) ?? messageOf(reason);
  // A message may contain text that others chose, such as the name of a job or the error of a constructor.
  process.stderr.write(`error: ${printableLine(message)}\n`);
  if (process.env["PALIMPSEST_DEBUG"] === "1" && reason instanceof Error)
    process.stderr.write(`${printable(reason.stack ?? "")}\n`);
  return exitCodeOf(reason);
}

function messageOf(reason: unknown): string {
  const text =
    reason instanceof CodedError
      ? reason.rawMessage
      : reason instanceof Error
        ? reason.message
        : String(reason);
  return text.includes("did you mean") ? text : `${text}${meantPath(reason)}`;
}

/** The package for actors alone lacks what only learning, or only a provider of machines, needs. */
function missingPackage(reason: unknown): string | undefined {
  if (!(reason instanceof Error) || !("code" in reason) || reason.code !== "ERR_MODULE_NOT_FOUND")
    return undefined;
  const [, name] = /^Cannot find package '([^']+)'/.exec(reason.message) ?? [];
  if (name === undefined) return undefined;
  return `this ${needsPackage(name.startsWith("@palimpsest/") ? "palimpsest" : name)}`;
}

export const needsPackage = (name: string): string =>
  `needs the package ${name}, which is not installed here: run \`npm install ${name}\` (or its tarball)`;

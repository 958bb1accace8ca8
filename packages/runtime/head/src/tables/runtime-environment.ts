/**
 * A process's environment: variables, working directory and npm packages, as in Ray's runtime environment.
 *
 * Responsibility: parsing it from requests, its limits, and what children inherit from their parents.
 * Not responsible for: building it (the nodes do).
 */
import { isSha256, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

export interface RuntimeEnvironment {
  readonly environment: Readonly<Record<string, string>>;
  /** SHA-256 of a packed folder; empty for none. */
  readonly workingDir: string;
  readonly packages: Packages | undefined;
}

interface Packages {
  /** SHA-256 of the packed package.json, lockfile, and the files that they name with "file:". */
  readonly bundle: string;
  readonly installScripts: boolean;
}

type Message = Pick<proto.ActorSpec.$Properties, "environment" | "workingDir" | "packages">;

/**
 * The maximum size of all variables in bytes, because they are sent with each start and stored in the head's tables.
 */
const maxVariableBytes = 64 * 1024;

/** Returns the environment in a message that has been checked before. */
export function runtimeEnvironmentOf({ environment, workingDir, packages }: Message): RuntimeEnvironment {
  return {
    environment: { ...environment },
    workingDir: workingDir ?? "",
    packages: packages
      ? { bundle: packages.bundle ?? "", installScripts: packages.installScripts ?? false }
      : undefined,
  };
}

/** @throws {PalimpsestError} INVALID_ARGUMENT that names the field; LIMIT_EXCEEDED above 64 KiB of variables */
export function checkRuntimeEnvironment(given: RuntimeEnvironment): void {
  const { environment, workingDir, packages } = given;
  for (const [name, value] of Object.entries(environment)) checkVariable(name, value);
  if (workingDir !== "" && !isSha256(workingDir))
    throw invalid(`working_dir is ${JSON.stringify(workingDir)}: it must be 64 hex digits, or empty`);
  if (packages !== undefined && !isSha256(packages.bundle))
    throw invalid(`packages.bundle is ${JSON.stringify(packages.bundle)}: it must be 64 hex digits`);
  const bytes = Object.entries(environment).reduce((sum, pair) => sum + Buffer.byteLength(pair.join("=")), 0);
  if (bytes <= maxVariableBytes) return;
  throw new PalimpsestError(
    "LIMIT_EXCEEDED",
    `environment takes ${bytes} bytes, including what is inherited from the job or the parent, more than ${maxVariableBytes}: ` +
      "pass less in environment and labels, and large values as files of the working directory or as objects",
  );
}

/** Checks a variable. No message shows the value, because it may be a secret. */
function checkVariable(name: string, value: string): void {
  if (name.startsWith("PALIMPSEST_"))
    throw invalid(`environment sets ${name}: names that start with PALIMPSEST_ are reserved for the node`);
  if (name === "" || /[=\0]/.test(name))
    throw invalid(`environment sets ${JSON.stringify(name)}: use a name without "=" and NUL`);
  if (value.includes("\0")) throw invalid(`environment[${name}] has a NUL character: leave it out`);
}

/**
 * Returns the environment of a child: its parent's variables overridden by its own, and otherwise the parent's settings
 * where it has none, as in Ray.
 */
export function underParent(own: RuntimeEnvironment, parent: RuntimeEnvironment): RuntimeEnvironment {
  return {
    environment: { ...parent.environment, ...own.environment },
    workingDir: own.workingDir || parent.workingDir,
    packages: own.packages ?? parent.packages,
  };
}

/** Returns the hashes of the bundles from which nodes build it. */
export function environmentBundles({
  workingDir,
  packages,
}: Omit<RuntimeEnvironment, "environment">): string[] {
  return [workingDir, packages?.bundle ?? ""].filter((sha256) => sha256 !== "");
}

function invalid(message: string): PalimpsestError {
  return new PalimpsestError("INVALID_ARGUMENT", message);
}

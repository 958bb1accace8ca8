import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ActorContext } from "@palimpsest/client";
import {
  decodeValue,
  isNetworkFailure,
  isUserFrame,
  lastError,
  PalimpsestError,
  partsOfThrown,
  thrownMessage,
  type ValueDecoding,
} from "@palimpsest/wire";

export interface ActorClassRef {
  /** The file: URL of an ES module. */
  readonly moduleUrl: string;
  readonly exportName: string;
}

type Constructor = new (...args: unknown[]) => object;

/** Imports a module. @throws {PalimpsestError} IMPORT_FAILED if the module itself fails */
export async function importModule(moduleUrl: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(moduleUrl)) as Record<string, unknown>;
  } catch (reason) {
    const { stack } = partsOfThrown(reason);
    const { place } = lastError(["Error:", ...stack.split("\n").filter(isUserFrame)]) ?? { place: "" };
    const where = place === "" ? "" : ` (${place})`;
    const what = `${fileOf(moduleUrl)} cannot be imported`;
    throw new PalimpsestError("IMPORT_FAILED", `${what}: ${thrownMessage(reason)}${where}`, {
      cause: reason ?? String(reason),
      retryable: isPassingFailure(reason),
    });
  }
}

/** Names a module as its user knows it: by its own file, which a bundle states in its last lines. */
function fileOf(moduleUrl: string): string {
  try {
    const text = readFileSync(fileURLToPath(moduleUrl), "utf8");
    return (
      /^\/\/ The module is (\S+)$/m.exec(text.slice(text.lastIndexOf("\n// The module is ")))?.[1] ??
      moduleUrl
    );
  } catch {
    return moduleUrl;
  }
}

/** Returns the error for an export that a module lacks, which names those that it has. */
export function notExported(
  module: Readonly<Record<string, unknown>>,
  moduleUrl: string,
  what: string,
): PalimpsestError {
  const names = Object.keys(module);
  const list = names.length > 0 ? names.join(", ") : "nothing";
  const fix = "export it, or name another in exportName";
  return new PalimpsestError("IMPORT_FAILED", `${fileOf(moduleUrl)} exports ${list}, not a ${what}: ${fix}`);
}

/**
 * Returns an export by its name. What a CommonJS module exports by name are fields of its one export; if that is itself a class or a
 * function, it goes by its own name.
 */
export function exportOf(module: Readonly<Record<string, unknown>>, name: string): unknown {
  const exported = module[name];
  const whole = module["default"];
  if (exported === undefined && typeof whole === "function" && whole.name === name) return whole;
  if (exported !== undefined || typeof whole !== "object" || whole === null) return exported;
  return Reflect.get(whole, name);
}

/** Imports the class. @throws {PalimpsestError} IMPORT_FAILED */
export async function loadActorClass(ref: ActorClassRef): Promise<Constructor> {
  const module = await importModule(ref.moduleUrl);
  const exported = exportOf(module, ref.exportName);
  if (typeof exported === "function") return exported as Constructor;
  throw notExported(module, ref.moduleUrl, `class ${ref.exportName}`);
}

/**
 * Runs the constructor and start().
 * @throws {PalimpsestError} ACTOR_ERROR with the thrown error as cause; retryable if the failure is transient
 */
export async function createInstance(
  Class: Constructor,
  encodedArgs: Uint8Array,
  context: ActorContext,
  decoding?: ValueDecoding,
): Promise<object> {
  const args = encodedArgs.byteLength > 0 ? decodeValue(encodedArgs, decoding) : [];
  if (!Array.isArray(args)) {
    throw new PalimpsestError("INVALID_ARGUMENT", "the constructor's arguments are not an array");
  }
  let instance: object;
  try {
    instance = new Class(...args);
  } catch (reason) {
    throw userError(`constructor of ${Class.name} threw`, reason);
  }
  if (hasHook(instance, "start")) {
    try {
      await instance.start(context);
    } catch (reason) {
      throw userError(`${Class.name}.start threw`, reason);
    }
  }
  return instance;
}

export async function stopInstance(instance: object): Promise<void> {
  if (hasHook(instance, "stop")) await instance.stop();
}

function hasHook<Name extends "start" | "stop">(
  instance: object,
  name: Name,
): instance is object & Record<Name, (context?: ActorContext) => unknown> {
  return typeof Reflect.get(instance, name) === "function";
}

function userError(what: string, reason: unknown): PalimpsestError {
  return new PalimpsestError("ACTOR_ERROR", `${what}: ${thrownMessage(reason)}`, {
    cause: reason === undefined ? "undefined" : reason,
    retryable: isPassingFailure(reason),
  });
}

const maxCauseDepth = 8;

/**
 * Returns whether the same code may succeed later, because a retryable PalimpsestError or a failed network connection
 * is in the chain of causes. The outermost PalimpsestError decides for all of its causes.
 */
function isPassingFailure(reason: unknown): boolean {
  try {
    return isPassing(reason, 0);
  } catch {
    // What was thrown refuses to be read.
    return false;
  }
}

function isPassing(reason: unknown, depth: number): boolean {
  if (reason instanceof PalimpsestError) return reason.retryable;
  if (!(reason instanceof Error) || depth > maxCauseDepth) return false;
  if (isNetworkFailure(reason)) return true;
  if (reason instanceof AggregateError && reason.errors.length > 0)
    return reason.errors.every((error) => isPassing(error, depth + 1));
  return isPassing(reason.cause, depth + 1);
}

/**
 * Stacks as people read them: with the frames of user code, at paths that open, and without those of Node.js and of the
 * runtime, which PALIMPSEST_DEBUG=1 shows.
 *
 * The source map of a bundle names a file as `app:PATH`, relative to the package of the bundled module, because a bundle
 * runs on machines that do not have the file. A program that has it shows the whole path.
 *
 * Invariants:
 * - FRAMES-1. A frame of user code is never hidden, and no frame of the runtime is shown as one of user code.
 * - FRAMES-2. An error that fails several calls names in each of them the caller of that call.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PalimpsestError } from "./error.js";

const scheme = "app:";
/** Matches a file of a bundle in a text. Its path is encoded, so that it ends at a space, a parenthesis or a colon. */
const bundledFile = /\bapp:([^\s:()'"]+)/g;
/** The most frames that are read of a caller; the runtime's own are among them. */
const maxFrames = 60;

/** The folder of the packages in a checkout, as a URL and as a path; empty if it is installed or bundled. */
const checkout = /^.*\/packages\/(?=runtime\/wire\/(?:src|dist)\/)/.exec(import.meta.url)?.[0] ?? "";
const checkoutPlaces = checkout === "" ? [] : [checkout, fileURLToPath(checkout)];
const installed = /node_modules\/(?:@palimpsest|palimpsest|@grpc\/grpc-js)\/|\/dist\/bundled\//;
const ofNode = /[( ](?:node|palimpsest):/;
const frame = /^\s+at /;
const placed = /:\d+:\d+\)?$/;

const roots = new Set<string>();
let ownRoot: string | undefined;

/** Whether everything is shown. */
export function showsInternals(): boolean {
  return process.env["PALIMPSEST_DEBUG"] === "1";
}

/** Returns the folder of the nearest package.json, or the folder itself if there is none. */
export function packageFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
    if (dirname(at) === at) return folder;
  }
}

/** Names a file in a source map. @param path relative to its package */
export function bundledName(path: string): string {
  const encoded = encodeURI(path).replace(/[()'#?:]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${scheme}${encoded}`;
}

/** Makes files of bundles that were made from this package known to this program. */
export function knowPackage(folder: string): void {
  roots.add(folder);
}

/** Replaces the names of files of bundles by their paths, where this program has the files. */
export function located(text: string): string {
  if (!text.includes(scheme)) return text;
  return text.replace(bundledFile, (name, encoded: string) => {
    ownRoot ??= packageFolder(process.cwd());
    const path = decoded(encoded);
    const root = [...roots, ownRoot].find((folder) => existsSync(join(folder, path)));
    return root === undefined ? name : join(root, path);
  });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns whether a line of a stack is a frame of Node.js or of the runtime. */
function isInternal(line: string): boolean {
  if (!frame.test(line)) return false;
  if (ofNode.test(line) || installed.test(line)) return true;
  return checkoutPlaces.some((place) => line.includes(place)) && !line.includes(".test.");
}

/** Returns a stack for another process, in which the runtime's frames can be distinguished without knowing its folder. */
export function stackToSend(stack: string): string {
  if (!checkoutPlaces.some((place) => stack.includes(place))) return stack;
  return stack
    .split("\n")
    .map((line) => {
      if (!isInternal(line)) return line;
      return checkoutPlaces.reduce((text, place) => text.replaceAll(place, "palimpsest:"), line);
    })
    .join("\n");
}

/** Returns a stack for people: its header and the frames of user code. */
export function shownStack(header: string, stack: string): string {
  if (showsInternals()) return located(stack);
  return [header, ...userFrames(belowMessage(stack, header))].join("\n");
}

/** A message may contain lines that look like frames. */
function belowMessage(stack: string, message: string): string {
  return stack.startsWith(message) ? stack.slice(message.length) : stack;
}

/** Returns whether a line of a stack is a frame of user code with its place. */
export function isUserFrame(line: string): boolean {
  return frame.test(line) && placed.test(line) && !isInternal(line);
}

/** Returns the frames of user code in a stack, with those of the language that user code has called. */
export function userFrames(stack: string): readonly string[] {
  const kept: string[] = [];
  let unplaced: string[] = [];
  for (const line of located(stack).split("\n")) {
    if (!frame.test(line)) continue;
    // A frame without a place, such as that of Promise.all(), is one of user code if the next one is.
    if (isUserFrame(line)) kept.push(...unplaced, line);
    if (placed.test(line)) unplaced = [];
    else unplaced.push(line);
  }
  return kept;
}

/** What is known of an error that was shown to a caller. */
interface Told {
  /** The frames that it had before. */
  readonly own: readonly string[];
  readonly caller: readonly string[];
  /** The stack as it was. */
  readonly stack: string;
}

const told = new WeakMap<PalimpsestError, Told>();

/**
 * Returns the error with the frames of whoever waits for it: the functions below this one on the stack, and the async
 * functions that await the promise which the running one will reject.
 */
export function withCaller(error: PalimpsestError): PalimpsestError {
  const caller = callerFrames();
  const before = told.get(error);
  if (before && before.caller.length > 0) {
    const isSame = caller.length === 0 || caller.join("\n") === before.caller.join("\n");
    return isSame ? error : tell(copyOf(error), { ...before, caller });
  }
  const stack = error.stack ?? "";
  const below = belowMessage(stack, `${error.name}: ${error.message}`);
  const own = before?.own ?? userFrames(below).filter((line) => !caller.includes(line));
  return tell(error, { own, caller, stack: before?.stack ?? stack });
}

/**
 * Returns a promise that rejects with the error and the frames of its caller. A promise that is resolved with this one
 * counts as what the caller awaits, so that a call costs nothing for its stack until it fails.
 */
export async function rejection(error: Error): Promise<never> {
  // The first turn comes before the one that links the promise of the call to this one.
  await undefined;
  await undefined;
  throw error instanceof PalimpsestError ? withCaller(error) : error;
}

function tell(error: PalimpsestError, about: Told): PalimpsestError {
  const lines = [`${error.name}: ${error.message}`, ...about.own, ...about.caller];
  if (showsInternals()) lines.push("--- runtime ---", about.stack);
  error.stack = lines.join("\n");
  told.set(error, about);
  return error;
}

function copyOf(error: PalimpsestError): PalimpsestError {
  const { code, rawMessage, details, retryable, cause } = error;
  return new PalimpsestError(code, rawMessage, { details, retryable, cause });
}

function callerFrames(): readonly string[] {
  const before = Error.stackTraceLimit;
  const place: { stack?: unknown } = {};
  Error.stackTraceLimit = maxFrames;
  Error.captureStackTrace(place, withCaller);
  Error.stackTraceLimit = before;
  // A program may replace how stacks are written.
  return typeof place.stack === "string" ? userFrames(place.stack) : [];
}

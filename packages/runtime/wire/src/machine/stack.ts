/**
 * Responsibility: reads the JavaScript stack of a thread through an attached inspector, even while the thread computes
 * and never returns to its event loop.
 * Not responsible for: reaching the inspector, or the origin of the request.
 *
 * Invariants:
 * - STACK-1. The thread is paused only while its stack is read, for at most `readTimeoutMs`, and then resumes.
 * - STACK-2. A thread that runs no JavaScript but Node's own within `idleAfterMs` is reported as idle, without a stack.
 * This module has no imports, so that a thread that only waits for such questions starts in milliseconds.
 */
import type { Debugger } from "node:inspector";

const idleAfterMs = 300;
const readTimeoutMs = 2_000;

/** What a process runs, innermost function first. */
export interface StackReading {
  /** False when the thread waits for events and therefore has no stack. */
  readonly busy: boolean;
  /** The actor's method that is running, or "" when none is or it is not known. */
  readonly method: string;
  /** Frames as "function (url:line:column)", the innermost first. */
  readonly frames: readonly string[];
}

/** An inspector's connection to one thread. */
export interface Debuggee {
  on(event: "Debugger.scriptParsed", listener: (script: Debugger.ScriptParsedEventDataType) => void): void;
  on(event: "Debugger.paused", listener: (pause: Debugger.PausedEventDataType) => void): void;
  command(method: "Debugger.evaluateOnCallFrame", params: object): Promise<unknown>;
  command(method: "Debugger.enable" | "Debugger.pause" | "Debugger.disable"): Promise<unknown>;
}

/** Reads the JavaScript stack of a process through its inspector. */
export async function readStack(debuggee: Debuggee): Promise<StackReading> {
  const urls = new Map<string, string>();
  debuggee.on("Debugger.scriptParsed", ({ scriptId, url }) => urls.set(scriptId, url));
  const paused = new Promise<Debugger.PausedEventDataType>((resolve) =>
    debuggee.on("Debugger.paused", resolve),
  );
  try {
    await debuggee.command("Debugger.enable");
    await debuggee.command("Debugger.pause");
    const pause = await within(idleAfterMs, paused, undefined);
    const callFrames = pause?.callFrames ?? [];
    if (callFrames.every((frame) => urlOf(frame, urls).startsWith("node:"))) {
      return { busy: false, method: "", frames: [] };
    }
    const method = await within(readTimeoutMs, runningMethod(debuggee, callFrames, urls), "");
    return { busy: true, method, frames: callFrames.map((frame) => lineOf(frame, urls)) };
  } finally {
    // Resumes a paused thread, and cancels a pause that has not happened yet.
    void debuggee.command("Debugger.disable").catch(() => undefined);
  }
}

/**
 * Resolves to the promise's value, or to the other value after limitMs milliseconds. The timer keeps the waiting
 * thread alive in the meantime.
 */
async function within<T, Late>(limitMs: number, promise: Promise<T>, late: Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function urlOf({ url, location }: Debugger.CallFrame, urls: ReadonlyMap<string, string>): string {
  return url || urls.get(location.scriptId) || "";
}

function lineOf(frame: Debugger.CallFrame, urls: ReadonlyMap<string, string>): string {
  const { lineNumber, columnNumber = 0 } = frame.location;
  const where = urlOf(frame, urls) || "native code";
  return `${frame.functionName || "(anonymous)"} (${where}:${lineNumber + 1}:${columnNumber + 1})`;
}

/** The module that runs calls, alone or in the bundle of actors' processes. */
const runsCalls = /\/(invocation\.[jt]s|worker\.bundle\.js)$/;

/** Finds the method's name in the frame that runs a call. */
async function runningMethod(
  debuggee: Debuggee,
  frames: readonly Debugger.CallFrame[],
  urls: ReadonlyMap<string, string>,
): Promise<string> {
  for (const frame of frames) {
    if (frame.functionName !== "run" || !runsCalls.test(urlOf(frame, urls))) continue;
    const answer = await debuggee.command("Debugger.evaluateOnCallFrame", {
      callFrameId: frame.callFrameId,
      expression: "this.methodName",
      silent: true,
      throwOnSideEffect: true,
    });
    const { result } = answer as Debugger.EvaluateOnCallFrameReturnType;
    if (typeof result.value === "string") return result.value;
  }
  return "";
}

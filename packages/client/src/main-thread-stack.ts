/**
 * Responsibility: the JavaScript stack of this process's main thread, taken from another thread, also while the main
 * thread computes and never comes back to its event loop.
 * Not responsible for: who asks, how the answer travels.
 *
 * Invariants:
 * - STACK-1. The main thread stands still only while its stack is read, at most `readTimeoutMs`, and goes on after it.
 * - STACK-2. A main thread that runs no JavaScript within `idleAfterMs` is reported as idle, without a stack.
 *
 * This module imports nothing but the inspector: a thread that only waits for this question starts in milliseconds.
 */
import { type Debugger, Session } from "node:inspector";

const idleAfterMs = 300;
const readTimeoutMs = 2_000;

export interface MainThreadStack {
  readonly busy: boolean;
  /** The actor's method that runs; empty when none does or it is not known. */
  readonly method: string;
  /** function (url:line:column), the innermost first. */
  readonly frames: readonly string[];
}

const idle: MainThreadStack = { busy: false, method: "", frames: [] };
let last: Promise<unknown> = Promise.resolve();

/** To be called in a worker thread. Questions are answered one after the other. */
export function mainThreadStack(): Promise<MainThreadStack> {
  const answer = last.then(take, take);
  last = answer;
  return answer;
}

function take(): Promise<MainThreadStack> {
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  return new Promise<MainThreadStack>((resolve, reject) => {
    // An interval keeps this thread alive until the answer, whatever else it waits for.
    const limit = setInterval(() => resolve(idle), idleAfterMs);
    session.once("Debugger.paused", ({ params }) => {
      clearInterval(limit);
      const late = setTimeout(() => resolve(stackOf(params.callFrames, urls, "")), readTimeoutMs);
      void runningMethod(session, params.callFrames, urls)
        .then((method) => resolve(stackOf(params.callFrames, urls, method)), reject)
        .finally(() => clearTimeout(late));
    });
    session.post("Debugger.enable", (error) => {
      if (error) reject(error);
      else session.post("Debugger.pause");
    });
  }).finally(() => {
    // Disabling lets a paused thread go on, and takes back a pause that did not come yet.
    session.post("Debugger.disable");
    session.disconnect();
  });
}

function stackOf(
  frames: readonly Debugger.CallFrame[],
  urls: ReadonlyMap<string, string>,
  method: string,
): MainThreadStack {
  return {
    busy: true,
    method,
    frames: frames.map(({ functionName, location, url }) => {
      const { scriptId, lineNumber, columnNumber = 0 } = location;
      const where = url || urls.get(scriptId) || "native code";
      return `${functionName || "(anonymous)"} (${where}:${lineNumber + 1}:${columnNumber + 1})`;
    }),
  };
}

/** The frame that runs a call knows its method's name. */
function runningMethod(
  session: Session,
  frames: readonly Debugger.CallFrame[],
  urls: ReadonlyMap<string, string>,
): Promise<string> {
  const frame = frames.find(
    ({ functionName, location, url }) =>
      functionName === "run" && (url || urls.get(location.scriptId) || "").endsWith("/invocation.js"),
  );
  if (!frame) return Promise.resolve("");
  const { callFrameId } = frame;
  return new Promise((resolve) => {
    session.post(
      "Debugger.evaluateOnCallFrame",
      { callFrameId, expression: "this.methodName", silent: true, throwOnSideEffect: true },
      (_error, answer) => resolve(String(answer?.result.value ?? "")),
    );
  });
}

import { PalimpsestError, withCaller } from "@palimpsest/wire";
import type { RemoteMethod } from "../actors/actor-handle.js";
import type { TaskOptions } from "../base/config.js";
import { checkObject } from "../base/fields.js";
import { loadedConfig } from "../base/load-config.js";
import type { ObjectRef } from "../base/object-ref.js";
import { placementField } from "../base/placement-field.js";
import { encodeArguments } from "../calls/call-arguments.js";
import { type Code, type CodeSource, checkSource, codeOf } from "../jobs/code-ref.js";
import type { TaskCall } from "./task-call.js";
import type { TaskPool, TaskShape } from "./task-pool.js";
import { type RunAgain, referenceReader } from "./task-result.js";

/** A function that can run as a task. */
export type TaskFunction = (...args: never[]) => unknown;

/** What the promise of a task offers in addition. */
export interface TaskControls {
  /**
   * Cancels the task, which fails with CANCELLED. A waiting task never runs; a running one has its AbortSignal
   * aborted. With `force` the process of a task that keeps running is ended, and its other tasks run elsewhere.
   */
  cancel(options?: { readonly force?: boolean; readonly reason?: unknown }): void;
}

/** A function that runs as tasks: it returns a promise of its value, or the items if it is a generator. */
export interface TaskType<Fn extends TaskFunction> {
  (...args: Parameters<Fn>): ReturnType<RemoteMethod<Fn>> & TaskControls;
  /**
   * Runs the function, and returns a promise of a reference to the result, which stays where it was created: for
   * results that are passed to other tasks. A large result that is lost with its node is reconstructed, which counts
   * as a retry.
   */
  ref(...args: Parameters<Fn>): Promise<ObjectRef<Awaited<ReturnType<Fn>>>> & TaskControls;
  /** Returns the same function with other options. */
  options(options: TaskOptions): TaskType<Fn>;
}

interface Prepared {
  readonly code: Code;
  readonly shape: TaskShape;
}

/** @throws {PalimpsestError} INVALID_ARGUMENT if the function has no name; CONFIG_INVALID naming the option */
export function taskType<Fn extends TaskFunction>(
  fn: { readonly name: string } | undefined,
  source: CodeSource,
  options: TaskOptions,
  pool: Pick<TaskPool, "call" | "submit" | "values" | "capturedBy" | "environment">,
): TaskType<Fn> {
  checkSource(source, `source of task ${fn?.name ?? ""}`.trimEnd());
  const exportName = source.exportName ?? fn?.name ?? "";
  checkObject(options, `options of task ${exportName}`);
  if (exportName === "") {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      "exportName is empty: name the exported function, or pass it first",
    );
  }
  const resolved = loadedConfig().parseTaskOptions(options, exportName);
  const name = options.name || exportName;
  let prepared: Prepared | undefined;
  let preparing: Promise<Prepared> | undefined;

  async function prepare(): Promise<Prepared> {
    const placement = placementField(resolved.placement, options, pool.capturedBy);
    const packed = await pool.environment.pack(resolved);
    const code = await codeOf(source, exportName, packed.external);
    return { code, shape: { ...resolved, placement, packed } };
  }

  function submit(call: TaskCall): void {
    if (prepared) {
      pool.submit(call, prepared.code, prepared.shape);
      return;
    }
    preparing ??= prepare();
    preparing.then(
      (ready) => {
        prepared = ready;
        pool.submit(call, ready.code, ready.shape);
      },
      (reason: unknown) => {
        preparing = undefined;
        call.fail(PalimpsestError.from(reason));
      },
    );
  }

  const run = (...args: unknown[]) => start(args, false);
  const ref = (...args: unknown[]) => start(args, true);

  function start(args: readonly unknown[], asReference: boolean): unknown {
    let encoded: ReturnType<typeof encodeArguments>;
    try {
      encoded = encodeArguments(args, pool.values);
    } catch (reason) {
      return refused(withCaller(PalimpsestError.from(reason)));
    }
    const { maxRetries = 3, timeoutMs, retryExceptions = false, maxCalls = 0 } = options;
    const shared = {
      ...{ name, retryExceptions, maxCalls, method: exportName, values: pool.values },
      timeoutMs: timeoutMs !== undefined && timeoutMs > 0 ? timeoutMs : Number.POSITIVE_INFINITY,
    };
    const runAgain: RunAgain = (args, retries, reader) => {
      const call = pool.call({ ...shared, args, retries, reader, signals: [], isRecovery: true });
      submit(call);
      return call;
    };
    const { values } = pool;
    const call = pool.call({
      ...{ ...shared, args: encoded.value, signals: encoded.signal ? [encoded.signal] : [] },
      retries: maxRetries < 0 ? Number.POSITIVE_INFINITY : maxRetries,
      reader: asReference && values ? referenceReader(values, name, runAgain) : undefined,
    });
    const { preparing } = encoded.value;
    // A failure in the meantime fails the call.
    if (preparing !== undefined) preparing.then(() => submit(call)).catch(() => undefined);
    else submit(call);
    return Object.assign(call.promise, {
      [Symbol.asyncIterator]: () => call.iterate(),
      cancel: ({ force = false, reason }: Parameters<TaskControls["cancel"]>[0] = {}) =>
        call.cancelBy(force, reason),
    });
  }

  return Object.assign(run, {
    ref,
    options: (more: TaskOptions) => taskType<Fn>(fn, source, { ...options, ...more }, pool),
  }) as unknown as TaskType<Fn>;
}

/** Returns a task that could not be created. */
function refused(error: PalimpsestError): unknown {
  const promise = Promise.reject(error);
  const iterate = () => {
    promise.catch(() => undefined);
    return { next: () => promise };
  };
  return Object.assign(promise, { [Symbol.asyncIterator]: iterate, cancel: () => undefined });
}

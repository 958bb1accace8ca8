import { markReference, PalimpsestError, withCaller } from "@palimpsest/wire";
import type { ActorInfo } from "../base/actor-view.js";
import { checkFields, checkValue, type Rules, rules, waitRules } from "../base/fields.js";
import type { ActorChannel } from "../calls/actor-channel.js";
import { encodeArguments } from "../calls/call-arguments.js";
import type { ValueStore } from "../values/value-store.js";
import type { DeathListener } from "./death-watches.js";

/**
 * A method as a remote caller sees it: it returns a promise of the value, or the items if it is an async generator.
 */
export type RemoteMethod<Method> = Method extends (...args: infer Args) => infer Result
  ? (
      ...args: Args
    ) => Result extends AsyncIterable<infer Item> | Generator<infer Item, unknown, unknown>
      ? AsyncIterable<Item>
      : Promise<Awaited<Result>>
  : never;

type MethodNames<Actor> = {
  [Name in keyof Actor]: Actor[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof Actor];

/** Names that a handle reserves for itself, and the life-cycle hooks of the actor. They cannot be called remotely. */
export const reservedMethods = [
  "actorId",
  "info",
  "kill",
  "onDeath",
  "ready",
  "with",
  "start",
  "stop",
  "then",
  "constructor",
] as const;

/** The methods of a class that can be called remotely, each as `RemoteMethod` describes it. */
export type RemoteMethods<Actor> = {
  readonly [Name in Exclude<MethodNames<Actor>, (typeof reservedMethods)[number]>]: RemoteMethod<Actor[Name]>;
};

/** Settings of single calls; `handle.with(settings)` returns a handle that makes its calls with them. */
export interface CallSettings {
  /** Milliseconds from the call until it fails with GET_TIMEOUT; Infinity for no deadline. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** How often the call may run again after the actor's process died during it. */
  readonly retries?: number;
  /** Whether a call whose method throws is retried too, which uses one of the retries. */
  readonly retryExceptions?: boolean;
  /** The concurrency group of the actor in which the call runs, instead of its method's group. */
  readonly concurrencyGroup?: string;
}

/** What a handle offers besides the actor's own methods. */
export interface ActorControls<Actor> {
  readonly actorId: string;
  /**
   * Resolves when the actor is alive.
   * @throws {PalimpsestError} ACTOR_DIED with the death certificate; UNSCHEDULABLE at the timeout if no node has
   *   room, with what each node lacks; GET_TIMEOUT
   */
  ready(options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<void>;
  info(): Promise<ActorInfo>;
  /**
   * Calls back once when the actor has permanently died, with its death certificate, also if another program owns the
   * actor. A restart does not count as a death.
   * @returns a function that stops watching
   */
  onDeath(listener: DeathListener): () => void;
  /** Kills the actor permanently or, with `restart`, as a crash would. */
  kill(options?: { readonly restart?: boolean }): Promise<void>;
  /** Returns a handle of the same actor with other call settings. */
  with(settings: CallSettings): ActorHandle<Actor>;
}

/** A remote actor. Calls of its methods go directly to the actor's process, not through the head. */
export type ActorHandle<Actor> = RemoteMethods<Actor> & ActorControls<Actor>;

export interface HandleDeps {
  readonly channel: ActorChannel;
  /** If it is undefined, calls carry no references. */
  readonly values?: ValueStore | undefined;
  /** How the handle is represented in values. Default: it cannot be sent. */
  readonly reference?: { readonly maxTaskRetries: number };
  readonly defaults: Required<Pick<CallSettings, "timeoutMs" | "retries">>;
  info(): Promise<ActorInfo>;
  kill(restart: boolean): Promise<void>;
  onDeath(listener: DeathListener): () => void;
}

const callRules = {
  ...waitRules,
  retries: rules.retries,
  retryExceptions: rules.flag,
  concurrencyGroup: rules.text,
} as const satisfies Rules & Readonly<Record<keyof CallSettings, unknown>>;

type Call = (...args: unknown[]) => Promise<unknown> & AsyncIterable<unknown>;

/** Creates the proxy whose methods are calls through a channel. Programs get handles from `ActorType.spawn` instead. */
export function createHandle<Actor>(deps: HandleDeps, settings: CallSettings = {}): ActorHandle<Actor> {
  const controls: ActorControls<Actor> = {
    actorId: deps.channel.actorId,
    ready: async (options = {}) => {
      checkFields(options, waitRules, "options of ready()");
      await ready(deps, options.timeoutMs ?? settings.timeoutMs ?? deps.defaults.timeoutMs, options.signal);
    },
    info: () => deps.info(),
    kill: async (options = {}) => {
      checkFields(options, { restart: rules.flag }, "options of kill()");
      await deps.kill(options.restart ?? false);
    },
    onDeath: (listener) => {
      checkValue(listener, rules.callback, "the argument of onDeath()");
      return deps.onDeath(listener);
    },
    with: (more) => {
      checkFields(more, callRules, "settings of with()");
      return createHandle(deps, { ...settings, ...more });
    },
  };
  const calls = new Map<string, Call>();
  const proxy: unknown = new Proxy(controls, {
    get(target, name) {
      // A handle in a text must not call methods that its actor lacks.
      if (name === Symbol.toPrimitive) return () => target.actorId;
      if (typeof name === "symbol" || Object.hasOwn(target, name)) return Reflect.get(target, name);
      // A handle that is returned from an async function must not look like a promise.
      if (name === "then" || name === "toJSON") return undefined;
      let call = calls.get(name);
      if (!call) {
        call = callOf(deps, settings, name);
        calls.set(name, call);
      }
      return call;
    },
    set() {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        "a handle has no state of its own; call a method instead",
      );
    },
  });
  const { maxTaskRetries } = deps.reference ?? {};
  if (maxTaskRetries !== undefined)
    markReference(proxy as object, { kind: "actor", actorId: deps.channel.actorId, maxTaskRetries });
  return proxy as ActorHandle<Actor>;
}

async function ready(deps: HandleDeps, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await deps.channel.ready(timeoutMs, signal);
  } catch (reason) {
    if (!(reason instanceof PalimpsestError) || reason.code !== "GET_TIMEOUT")
      throw withCaller(PalimpsestError.from(reason));
    // The reason is requested only now, because until then an actor without room and one that is starting look the
    // same.
    const info = await deps.info().catch(() => undefined);
    if (info?.state !== "pending" || info.pendingReason === "") throw withCaller(reason);
    throw withCaller(
      new PalimpsestError(
        "UNSCHEDULABLE",
        `actor ${info.actorId} was not placed on a node within ${timeoutMs} ms: ${info.pendingReason}`,
        { details: { actorId: info.actorId, pendingReason: info.pendingReason } },
      ),
    );
  }
}

function callOf(deps: HandleDeps, settings: CallSettings, method: string): Call {
  return (...args) => {
    try {
      const { value, signal } = encodeArguments(args, deps.values);
      const call = deps.channel.call({
        method,
        args: value,
        values: deps.values,
        timeoutMs: settings.timeoutMs ?? deps.defaults.timeoutMs,
        retries: retriesOf(settings.retries ?? deps.defaults.retries),
        retryExceptions: settings.retryExceptions ?? false,
        concurrencyGroup: settings.concurrencyGroup ?? "",
        signals: signalsOf(settings.signal, signal),
      });
      const given = call.promise as Promise<unknown> & AsyncIterable<unknown>;
      given[Symbol.asyncIterator] = () => call.iterate();
      return given;
    } catch (reason) {
      return refused(withCaller(PalimpsestError.from(reason)));
    }
  };
}

const noSignals: readonly AbortSignal[] = [];

function signalsOf(one: AbortSignal | undefined, other: AbortSignal | undefined): readonly AbortSignal[] {
  if (one === undefined && other === undefined) return noSignals;
  return [one, other].filter((given) => given !== undefined);
}

/** -1 means no limit, as in the options. */
function retriesOf(retries: number): number {
  return retries < 0 ? Number.POSITIVE_INFINITY : retries;
}

/** Returns the result of a call that could not be made. */
function refused(error: PalimpsestError): ReturnType<Call> {
  const promise = Promise.reject(error);
  const iterate = () => {
    promise.catch(() => undefined);
    return { next: () => promise };
  };
  return Object.assign(promise, { [Symbol.asyncIterator]: iterate });
}

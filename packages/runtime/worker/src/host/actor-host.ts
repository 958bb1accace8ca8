/**
 * Responsibility: the ActorHost service over one instance: receives batches of calls from many callers and runs them.
 * Not responsible for: creating the instance, or the process's life (main.ts).
 *
 * Invariants:
 * - HOST-1. A stream for another actor or incarnation is refused before any of its calls are read.
 * - HOST-3. Functions that had no caller's stream for `abandonedMs` are told so, because the client that leased their
 *   process has forgotten it, or never learned that it has it.
 */
import { reservedMethods, type ValueStore } from "@palimpsest/client";
import { systemClock } from "@palimpsest/std";
import type { Metrics } from "@palimpsest/telemetry";
import {
  actorHostService,
  addresseeOf,
  Deadlines,
  errorToProto,
  listenWithin,
  type Network,
  PalimpsestError,
  type PortRange,
  type RpcServer,
  toGrpcError,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { CallEvents, ListedCall } from "../calls/call-events.js";
import { type CallMetrics, createCallMetrics } from "../calls/call-metrics.js";
import { Caller, type CallerStream } from "../calls/caller.js";
import { Invocation, type InvocationDeps, type Method, type TaskHooks } from "../calls/invocation.js";
import { Lanes, type LanesOptions } from "../calls/lanes.js";
import type { DurableActor } from "../durable/durable-actor.js";
import { defaultConcurrencyOf } from "./async-class.js";
import { absent, HostedActors } from "./hosted-actors.js";
import { serveMesh } from "./mesh-host.js";
import { serveShared } from "./shared-calls.js";

/** The maximum number of a durable actor's calls that run or wait for their commit. */
const durableConcurrency = 256;
/**
 * Functions are abandoned after this time without a caller's stream. It is much longer than the intervals of seconds at
 * which a client that has leased a worker reopens its stream.
 */
const defaultAbandonedMs = 60_000;

export interface HostedActorOptions extends LanesOptions {
  /** With 0, the default of the class that is served applies. */
  readonly maxConcurrency: number;
  readonly actorId: string;
  readonly incarnation: number;
  /** Called with the first call. If it is absent, calls carry no references. */
  readonly values?: () => ValueStore;
  /** Wraps each call of a method. Default: no wrapping. */
  readonly around?: (call: () => unknown) => unknown;
  /** Reports calls. If it is absent, they are not reported. */
  readonly events?: CallEvents | undefined;
  /** The actors of its process. Default: the actor is alone there. */
  readonly hosted?: HostedActors;
}

export interface ActorHostOptions extends HostedActorOptions {
  readonly network: Network;
  readonly listenHost: string;
  /** The ports of which it takes one. Default: any. */
  readonly ports?: PortRange | undefined;
}

/** The functions of a module, which a process of tasks serves instead of an instance, one call at a time. */
export interface TaskFunctions {
  /** @throws {PalimpsestError} NOT_FOUND */
  methodOf(name: string): Method;
  /** @param alone whether no other caller has a stream now; call numbers are unique within one stream */
  started(callId: number, signal: () => AbortSignal, alone: boolean): void;
  /** Called when no caller has had a stream for a while (HOST-3). */
  abandoned(): void;
}

export class ActorHost {
  readonly #options: HostedActorOptions;
  readonly #hosted: HostedActors;
  readonly #mailbox: Lanes;
  readonly #metrics: CallMetrics;
  readonly #methods = new Map<string, Method>();
  readonly #deps = new WeakMap<Caller, InvocationDeps>();
  #instance: object | undefined;
  #tasks: TaskFunctions | undefined;
  #durable: DurableActor | undefined;
  /** The calls that have no answer yet, and their callers. */
  readonly #calls = new Map<Invocation, Caller>();
  readonly #deadlines = new Deadlines(systemClock);
  #streamNumber = 0;
  readonly #open = new Set<CallerStream>();
  #abandonedMs = defaultAbandonedMs;
  #abandonment: NodeJS.Timeout | undefined;
  #ending = false;
  #server: RpcServer | undefined;

  private constructor(options: HostedActorOptions, metrics: (mailbox: Lanes) => CallMetrics) {
    this.#options = options;
    this.#hosted = options.hosted ?? new HostedActors();
    this.#mailbox = new Lanes({ ...options, maxConcurrency: options.maxConcurrency || 1 });
    this.#metrics = metrics(this.#mailbox);
    options.events?.watch(() => this.#unanswered());
  }

  /** Creates one of several hosts behind a server, which passes streams to it. */
  static behind(options: HostedActorOptions, metrics: CallMetrics): ActorHost {
    return new ActorHost(options, () => metrics);
  }

  /** Listens on a free port. Calls are refused until serve(). */
  static async start(
    options: ActorHostOptions,
    deps: { readonly metrics: Metrics },
  ): Promise<{ readonly host: ActorHost; readonly address: string }> {
    const host = new ActorHost(options, (mailbox) => createCallMetrics(deps.metrics, mailbox));
    const server = options.network.createServer();
    server.addService(actorHostService, {
      calls: (stream) => host.accept(stream),
      meshCalls: (stream) => serveMesh(host.#hosted, stream),
      sharedCalls: (stream) => serveShared(host.#hosted, stream),
    });
    host.#server = server;
    const address = await listenWithin(options.ports, (port) => server.listen(options.listenHost, port));
    return { host, address };
  }

  get actorId(): string {
    return this.#options.actorId;
  }

  get incarnation(): number {
    return this.#options.incarnation;
  }

  /** @param durable runs the methods of a durable actor */
  serve(instance: object, durable?: DurableActor): void {
    this.#instance = instance;
    this.#durable = durable;
    this.#hosted.add(this);
    // Methods still run one at a time, but many calls may wait for their commits.
    if (durable) this.#mailbox.maxConcurrency = durableConcurrency;
    else if (this.#options.maxConcurrency === 0)
      this.#mailbox.maxConcurrency = defaultConcurrencyOf(instance);
  }

  serveTasks(tasks: TaskFunctions, abandonedMs = defaultAbandonedMs): void {
    this.#tasks = tasks;
    this.#abandonedMs = abandonedMs;
    this.#expectCaller();
  }

  /** HOST-3 */
  #expectCaller(): void {
    clearTimeout(this.#abandonment);
    if (!this.#tasks || this.#open.size > 0 || this.#ending || !this.#server) return;
    this.#abandonment = setTimeout(() => this.#tasks?.abandoned(), this.#abandonedMs);
  }

  /** Ensures that from now on no call starts and errors are not answered (INVOCATION-5). */
  end(): void {
    this.#ending = true;
    this.#hosted.delete(this);
    this.#refuseMeshes();
    clearTimeout(this.#abandonment);
  }

  /** Answers pending mesh calls, because their shared stream continues and would not show that they were dropped. */
  #refuseMeshes(): void {
    const { actorId, incarnation } = this.#options;
    const error = absent({ actorId, incarnation });
    for (const [invocation, caller] of [...this.#calls])
      if (caller.kind === "mesh" && invocation.begunAtMs === undefined) invocation.cancel(error);
  }

  async close(graceMs = 200): Promise<void> {
    this.#hosted.delete(this);
    const server = this.#server;
    this.#server = undefined;
    clearTimeout(this.#abandonment);
    await server?.close(graceMs);
  }

  /** Accepts a caller's stream, or refuses it (HOST-1). */
  accept(stream: CallerStream): void {
    const wrong = this.#wrongAddressee(stream);
    if (wrong) {
      stream.emit("error", toGrpcError(wrong));
      return;
    }
    this.#open.add(stream);
    this.#expectCaller();
    const caller = new Caller(stream, {
      take: (frame) => {
        if (frame.call) this.take(caller, frame.call);
      },
      onLeft: () => {
        this.#open.delete(stream);
        this.#expectCaller();
      },
    });
  }

  /** The number of waiting and of running calls. */
  get mailbox(): { readonly waiting: number; readonly running: number } {
    return this.#mailbox;
  }

  /**
   * Makes its callers see its end: their streams end or, if those are shared, mesh calls are answered and the other
   * callers are told that it has left.
   */
  leave(error: PalimpsestError): void {
    for (const stream of this.#open) stream.emit("error", toGrpcError(error));
    for (const [invocation, { kind }] of [...this.#calls]) {
      if (kind === "mesh") invocation.cancel(error);
      else if (kind === "shared") invocation.drop();
    }
    this.#hosted.left(this);
  }

  /** Pauses or resumes the calls of a caller. They are paused while it is behind in reading replies. */
  pace(caller: Caller, behind: boolean): void {
    if (behind) this.#mailbox.pause(caller);
    else this.#mailbox.resume(caller);
  }

  #taskHooks(): TaskHooks | undefined {
    const tasks = this.#tasks;
    return tasks && { started: (callId, signal) => tasks.started(callId, signal, this.#open.size === 1) };
  }

  /** Accepts a call, which is answered through the caller's writer. */
  take(caller: Caller, call: proto.Call.$Properties): void {
    const refusal = this.#refusal();
    if (refusal) {
      caller.reply({ callId: call.callId ?? 0, error: errorToProto(refusal) });
      return;
    }
    caller.calls(this);
    const invocation = new Invocation(call, this.#durably(call, this.#depsOf(caller)));
    caller.invocations.set(invocation.callId, invocation);
    this.#calls.set(invocation, caller);
    this.#options.events?.arrived();
    try {
      this.#mailbox.offer(caller, invocation.methodName, invocation, call.concurrencyGroup ?? "");
    } catch (reason) {
      this.#metrics.refused();
      invocation.cancel(PalimpsestError.from(reason));
    }
  }

  *#unanswered(): Generator<ListedCall> {
    yield* this.#calls.keys();
  }

  #depsOf(caller: Caller): InvocationDeps {
    const known = this.#deps.get(caller);
    if (known) return known;
    const deps: InvocationDeps = {
      tasks: this.#taskHooks(),
      actorId: this.#options.actorId,
      deadlines: this.#deadlines,
      methodOf: (name) => this.#methodOf(name),
      ending: () => this.#ending,
      reply: (reply) => caller.reply(reply),
      values: this.#options.values?.(),
      keep: (callId, release) => caller.kept.keep(callId, release),
      metrics: this.#metrics,
      events: this.#options.events,
      stream: {
        name: `${this.#options.actorId}.${this.#options.incarnation}.${++this.#streamNumber}`,
        callerId: caller.callerId,
      },
      onSettled: (invocation) => {
        caller.invocations.delete(invocation.callId);
        this.#calls.delete(invocation);
        this.#mailbox.remove(invocation);
      },
    };
    this.#deps.set(caller, deps);
    return deps;
  }

  #durably({ identity }: proto.Call.$Properties, deps: InvocationDeps): InvocationDeps {
    const durable = this.#durable;
    if (durable === undefined) return deps;
    const id = identity
      ? {
          caller: identity.caller ?? "",
          sequence: identity.sequence ?? 0,
          acknowledged: identity.acknowledged ?? 0,
          ageMs: identity.ageMs ?? 0,
        }
      : undefined;
    return { ...deps, methodOf: (name) => durable.method(id, name, deps.methodOf(name)) };
  }

  /** Returns the instance's own method, for a timer. @throws {PalimpsestError} NOT_FOUND */
  methodOf(name: string): Method {
    return this.#methodOf(name);
  }

  #wrongAddressee({ metadata }: CallerStream): PalimpsestError | undefined {
    const { actorId, incarnation } = this.#options;
    const meant = addresseeOf(metadata);
    if (meant.actorId === actorId && meant.incarnation === incarnation) return undefined;
    const whom = meant.actorId ? `incarnation ${meant.incarnation} of ${meant.actorId}` : "no actor";
    return new PalimpsestError(
      "ACTOR_UNAVAILABLE",
      `incarnation ${incarnation} of ${actorId} listens here, but the stream is for ${whom}; resolve the actor again`,
      { details: { actorId, incarnation } },
    );
  }

  #refusal(): PalimpsestError | undefined {
    if (this.#instance || this.#tasks) return undefined;
    const { actorId, incarnation } = this.#options;
    return new PalimpsestError("ACTOR_UNAVAILABLE", `${actorId} is still starting`, {
      details: { actorId, incarnation },
    });
  }

  #methodOf(name: string): Method {
    const known = this.#methods.get(name);
    if (known) return known;
    if (this.#tasks) return this.#tasks.methodOf(name);
    const instance = this.#instance;
    const member: unknown = isCallable(instance, name) ? Reflect.get(instance, name) : undefined;
    if (instance === undefined || typeof member !== "function") {
      throw new PalimpsestError(
        "NOT_FOUND",
        `${this.#options.actorId} has no method ${name} that can be called; ${methodsOf(instance)}`,
        { details: { actorId: this.#options.actorId, method: name } },
      );
    }
    const { around } = this.#options;
    const method: Method = around
      ? (...args) => around(() => Reflect.apply(member, instance, args))
      : (...args) => Reflect.apply(member, instance, args);
    this.#methods.set(name, method);
    return method;
  }
}

const reserved: ReadonlySet<string> = new Set(reservedMethods);

/**
 * Returns whether the class itself has the method. Life-cycle hooks and what every object inherits cannot be called.
 */
const shownMethods = 20;

/** Names the methods of an actor, for one who has mistyped one. */
function methodsOf(instance: object | undefined): string {
  const names: string[] = [];
  for (let at = instance; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === "function" && isCallable(instance, name) && !names.includes(name))
        names.push(name);
  if (names.length === 0) return "it has none";
  const more = names.length > shownMethods ? ` and ${names.length - shownMethods} more` : "";
  return `it has ${names.slice(0, shownMethods).join(", ")}${more}`;
}

function isCallable(instance: object | undefined, name: string): instance is object {
  return instance !== undefined && !reserved.has(name) && !(name in Object.prototype) && name in instance;
}

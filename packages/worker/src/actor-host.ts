/**
 * Responsibility: the ActorHost service over one instance: takes batches of calls from many callers and runs them.
 * Not responsible for: making the instance, the process's life (main.ts).
 *
 * Invariants:
 * - HOST-1. A stream that is meant for another actor or incarnation is refused before any call of it is read.
 * - HOST-3. Functions to which no caller has had a stream for `abandonedMs` are told so: whoever leased their process has
 *   forgotten it, or has never heard that it has it.
 * - HOST-2. A caller whose stream ends takes its waiting calls with it and aborts its running ones.
 */
import { Metadata, type ServerDuplexStream } from "@grpc/grpc-js";
import { reservedMethods, type ValueStore } from "@palimpsest/client";
import type { Metrics } from "@palimpsest/telemetry";
import {
  actorHostService,
  addresseeOf,
  callerNamed,
  errorToProto,
  type Network,
  PalimpsestError,
  type RpcServer,
  toGrpcError,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { defaultConcurrencyOf } from "./async-class.js";
import type { CallEvents, ListedCall } from "./call-events.js";
import { type CallMetrics, createCallMetrics } from "./call-metrics.js";
import { Invocation, type InvocationDeps, type Method, type TaskHooks } from "./invocation.js";
import { KeptReplies } from "./kept-replies.js";
import { Lanes, type LanesOptions } from "./lanes.js";
import { ReplyWriter } from "./reply-writer.js";

/** A client that has leased a worker opens its stream again at intervals of seconds. */
const defaultAbandonedMs = 60_000;

export interface HostedActorOptions extends LanesOptions {
  /** 0: as the class that is served has it by default. */
  readonly maxConcurrency: number;
  readonly actorId: string;
  readonly incarnation: number;
  /** Asked for with the first call. Default: calls carry no references. */
  readonly values?: () => ValueStore;
  /** Runs each call of a method. Default: as it is. */
  readonly around?: (call: () => unknown) => unknown;
  /** Default: nobody is told of calls. */
  readonly events?: CallEvents | undefined;
}

export interface ActorHostOptions extends HostedActorOptions {
  readonly network: Network;
  readonly listenHost: string;
}

/** What a process serves in place of an instance: the functions of a module, one call at a time. */
export interface TaskFunctions {
  /** @throws {PalimpsestError} NOT_FOUND */
  methodOf(name: string): Method;
  /** @param alone whether no other caller has a stream now: call numbers are those of a stream */
  started(callId: number, signal: () => AbortSignal, alone: boolean): void;
  /** HOST-3 */
  abandoned(): void;
}

export type CallerStream = ServerDuplexStream<proto.CallBatch.$Properties, proto.ReplyBatch.$Properties>;

export class ActorHost {
  readonly #options: HostedActorOptions;
  readonly #mailbox: Lanes;
  readonly #metrics: CallMetrics;
  readonly #methods = new Map<string, Method>();
  #instance: object | undefined;
  #tasks: TaskFunctions | undefined;
  /** Calls without an answer, by stream. */
  readonly #calls = new Set<Map<number, Invocation>>();
  #streamNumber = 0;
  readonly #open = new Set<CallerStream>();
  #abandonedMs = defaultAbandonedMs;
  #abandonment: NodeJS.Timeout | undefined;
  #ending = false;
  #server: RpcServer | undefined;

  private constructor(options: HostedActorOptions, metrics: (mailbox: Lanes) => CallMetrics) {
    this.#options = options;
    this.#mailbox = new Lanes({ ...options, maxConcurrency: options.maxConcurrency || 1 });
    this.#metrics = metrics(this.#mailbox);
    options.events?.watch(() => this.#unanswered());
  }

  /** One of several behind a server that hands it its streams. */
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
    server.addService(actorHostService, { calls: (stream: CallerStream) => host.accept(stream) });
    host.#server = server;
    const address = await server.listen(options.listenHost, 0);
    return { host, address };
  }

  serve(instance: object): void {
    this.#instance = instance;
    if (this.#options.maxConcurrency === 0) this.#mailbox.maxConcurrency = defaultConcurrencyOf(instance);
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

  /** From now on no call starts, and errors are not answered (INVOCATION-5). */
  end(): void {
    this.#ending = true;
    clearTimeout(this.#abandonment);
  }

  async close(graceMs = 200): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    clearTimeout(this.#abandonment);
    await server?.close(graceMs);
  }

  /** Takes a caller's stream, or refuses it (HOST-1). */
  accept(stream: CallerStream): void {
    const wrong = this.#wrongAddressee(stream);
    if (wrong) {
      stream.emit("error", toGrpcError(wrong));
      return;
    }
    const writer = new ReplyWriter(stream, (behind) =>
      behind ? this.#mailbox.pause(stream) : this.#mailbox.resume(stream),
    );
    const calls = new Map<number, Invocation>();
    this.#calls.add(calls);
    const tasks = this.#taskHooks();
    this.#open.add(stream);
    this.#expectCaller();
    const kept = new KeptReplies();
    const deps: InvocationDeps = {
      tasks,
      actorId: this.#options.actorId,
      methodOf: (name) => this.#methodOf(name),
      ending: () => this.#ending,
      reply: (reply) => writer.post(reply),
      values: this.#options.values?.(),
      keep: (callId, release) => kept.keep(callId, release),
      metrics: this.#metrics,
      events: this.#options.events,
      stream: {
        name: `${this.#options.actorId}.${this.#options.incarnation}.${++this.#streamNumber}`,
        callerId: callerNamed(stream.metadata),
      },
      onSettled: (invocation) => {
        calls.delete(invocation.callId);
        this.#mailbox.remove(invocation);
      },
    };
    const leave = () => {
      this.#open.delete(stream);
      this.#expectCaller();
      writer.close();
      kept.callerLeft();
      for (const invocation of [...calls.values()]) invocation.drop();
      this.#calls.delete(calls);
      this.#mailbox.resume(stream);
    };
    // Headers at once: the caller knows that it has reached an actor.
    stream.sendMetadata(new Metadata());
    stream.on("data", (batch: proto.CallBatch.$Properties) => {
      for (const frame of batch.frames ?? []) {
        if (frame.call) this.#take(stream, frame.call, calls, deps);
        else if (frame.takenCallId != null) kept.taken(frame.takenCallId);
        else if (frame.cancelCallId != null) calls.get(frame.cancelCallId)?.cancel(cancelled());
        else if (frame.credit) {
          const { callId, items, bytes } = frame.credit;
          calls.get(callId ?? 0)?.grant(items ?? 0, bytes ?? 0);
        }
      }
    });
    stream.on("cancelled", leave);
    stream.on("error", leave);
    stream.on("end", () => {
      leave();
      stream.end();
    });
  }

  /** Calls that wait and that run. */
  get mailbox(): { readonly waiting: number; readonly running: number } {
    return this.#mailbox;
  }

  /** Ends the streams of its callers: they see the actor end. */
  leave(error: PalimpsestError): void {
    for (const stream of this.#open) stream.emit("error", toGrpcError(error));
  }

  #taskHooks(): TaskHooks | undefined {
    const tasks = this.#tasks;
    return tasks && { started: (callId, signal) => tasks.started(callId, signal, this.#open.size === 1) };
  }

  #take(
    caller: CallerStream,
    call: proto.Call.$Properties,
    calls: Map<number, Invocation>,
    deps: InvocationDeps,
  ): void {
    const refusal = this.#refusal();
    if (refusal) {
      deps.reply({ callId: call.callId ?? 0, error: errorToProto(refusal) });
      return;
    }
    const invocation = new Invocation(call, deps);
    calls.set(invocation.callId, invocation);
    this.#options.events?.arrived();
    try {
      this.#mailbox.offer(caller, invocation.methodName, invocation, call.concurrencyGroup ?? "");
    } catch (reason) {
      this.#metrics.refused();
      invocation.cancel(PalimpsestError.from(reason));
    }
  }

  *#unanswered(): Generator<ListedCall> {
    for (const calls of this.#calls) yield* calls.values();
  }

  #wrongAddressee({ metadata }: CallerStream): PalimpsestError | undefined {
    const { actorId, incarnation } = this.#options;
    const meant = addresseeOf(metadata);
    if (meant.actorId === actorId && meant.incarnation === incarnation) return undefined;
    const whom = meant.actorId ? `incarnation ${meant.incarnation} of ${meant.actorId}` : "no actor";
    return new PalimpsestError(
      "ACTOR_UNAVAILABLE",
      `incarnation ${incarnation} of ${actorId} listens here, the stream is meant for ${whom}; resolve the actor again`,
      { details: { actorId, incarnation: String(incarnation) } },
    );
  }

  #refusal(): PalimpsestError | undefined {
    if (this.#instance || this.#tasks) return undefined;
    const { actorId, incarnation } = this.#options;
    return new PalimpsestError("ACTOR_UNAVAILABLE", `${actorId} is still starting`, {
      details: { actorId, incarnation: String(incarnation) },
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
        `${this.#options.actorId} has no method ${name} that can be called`,
        { details: { actorId: this.#options.actorId, method: name } },
      );
    }
    const apply: Method = (...args) => Reflect.apply(member, instance, args);
    const { around } = this.#options;
    const method: Method = around ? (...args) => around(() => apply(...args)) : apply;
    this.#methods.set(name, method);
    return method;
  }
}

const reserved: ReadonlySet<string> = new Set(reservedMethods);

/** Methods of the class itself; not its life hooks, and nothing that every object inherits. */
function isCallable(instance: object | undefined, name: string): instance is object {
  return instance !== undefined && !reserved.has(name) && !(name in Object.prototype) && name in instance;
}

function cancelled(): PalimpsestError {
  return new PalimpsestError("CANCELLED", "cancelled by the caller");
}

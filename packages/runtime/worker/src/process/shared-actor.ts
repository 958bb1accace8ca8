/**
 * Responsibility: one light actor inside its shared process: its instance, its mailbox, its end.
 * Not responsible for: the process (shared-process.ts).
 *
 * Invariants:
 * - SHAREDACTOR-1. Its stop() runs at most once, and for no longer than its grace period; then its callers see it
 *   end.
 */
import type { ActorContext, ProgramValues } from "@palimpsest/client";
import { incarnationName, PalimpsestError, thrownText } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { createInstance, stopInstance } from "../base/actor-class.js";
import { argumentsOf, createContext } from "../base/actor-context.js";
import type { ProcessServices } from "../base/process-services.js";
import type { CallEvents } from "../calls/call-events.js";
import type { CallMetrics } from "../calls/call-metrics.js";
import { ActorHost } from "../host/actor-host.js";
import type { HostedActors } from "../host/hosted-actors.js";
import { callEventsOf, hostedActor } from "./actor-process.js";

export interface SharedActorDeps {
  readonly services: ProcessServices;
  /** The start of the process, with the specification and the incarnation of this actor. */
  readonly start: proto.ActorProcessStart.$Properties;
  readonly metrics: ActorContext["metrics"];
  readonly callMetrics: CallMetrics;
  /** The actors of its process. */
  readonly hosted: HostedActors;
  readonly environment: ActorContext["environment"];
  readonly onTasks: (report: proto.TaskReport.$Properties) => void;
  /** Wraps every run of this actor's code. */
  readonly around: <Result>(call: () => Result) => Result;
  /** Called when it ends itself; the caller then calls stop(). */
  readonly onExit: (reason: string) => void;
}

export class SharedActor {
  readonly host: ActorHost;
  readonly #deps: SharedActorDeps;
  readonly #opened: ReturnType<typeof createContext>;
  readonly #events: CallEvents;
  #instance: object | undefined;
  #program: ProgramValues | undefined;
  #stopping: Promise<void> | undefined;

  constructor(deps: SharedActorDeps) {
    this.#deps = deps;
    const { start, services, callMetrics, metrics, environment, onExit, around, hosted } = deps;
    const program = () => this.#values();
    this.#events = callEventsOf(start, deps.onTasks);
    this.host = ActorHost.behind(
      {
        ...hostedActor(start.spec ?? {}, start.incarnation ?? 0),
        around,
        hosted,
        events: this.#events,
        values: () => program().values,
      },
      callMetrics,
    );
    const { network } = services;
    this.#opened = createContext(start, { network, metrics, environment, onExit, program });
  }

  /** Runs the constructor and start(). @throws {PalimpsestError} if one of them fails */
  async begin(Class: Parameters<typeof createInstance>[0]): Promise<void> {
    const { start, around } = this.#deps;
    const { context } = this.#opened;
    const args = await argumentsOf(start.spec ?? {}, context);
    this.#instance = await around(() => createInstance(Class, args, context, this.#values().values));
    // The actor may have been stopped in the meantime.
    if (!this.#stopping) this.host.serve(this.#instance);
  }

  /** @param graceMs how long the actor's stop() may take; 0 to skip it */
  stop(graceMs: number, reason: string): Promise<void> {
    this.#stopping ??= this.#stop(graceMs, reason);
    return this.#stopping;
  }

  async #stop(graceMs: number, reason: string): Promise<void> {
    this.host.end();
    await this.#opened.close.abort();
    const instance = this.#instance;
    if (instance && graceMs > 0) {
      const ended = this.#deps.around(() => stopInstance(instance));
      await Promise.race([ended.catch(complain), expiry(graceMs)]);
    }
    this.host.leave(new PalimpsestError("ACTOR_UNAVAILABLE", reason));
    this.#instance = undefined;
    this.#events.close();
    void this.#close();
  }

  async #close(): Promise<void> {
    this.#program?.close();
    await this.#opened.close.connections();
  }

  #values(): ProgramValues {
    const { services, start } = this.#deps;
    this.#program ??= services.values(
      incarnationName({ actorId: start.spec?.actorId ?? "", incarnation: start.incarnation ?? 0 }),
    );
    return this.#program;
  }
}

function complain(reason: unknown): void {
  process.stderr.write(`stop() failed: ${thrownText(reason)}\n`);
}

function expiry(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

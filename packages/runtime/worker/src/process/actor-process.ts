/**
 * Responsibility: the life of an actor's process, from the node's start message to its end.
 * Not responsible for: the channel to the node (main.ts), or calls (actor-host.ts).
 *
 * Invariants:
 * - ACTORPROCESS-1. Readiness is reported after the constructor and start() have succeeded, never before.
 * - ACTORPROCESS-2. stop() runs at most once, and the services close after it.
 */
import { type ActorContext, knowBundle, type ProgramValues } from "@palimpsest/client";
import { createMetrics, serveMetrics, tracing } from "@palimpsest/telemetry";
import {
  adoptCredentials,
  httpGuard,
  incarnationName,
  listenWithin,
  PalimpsestError,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { createInstance, importModule, loadActorClass, stopInstance } from "../base/actor-class.js";
import { argumentsOf, createContext } from "../base/actor-context.js";
import { portsOf } from "../base/listen-ports.js";
import { openServices } from "../base/process-services.js";
import { openProcessTracing } from "../base/process-tracing.js";
import { StartedMark } from "../base/started-mark.js";
import { CallEvents } from "../calls/call-events.js";
import type { DurableActor } from "../durable/durable-actor.js";
import { ActorHost } from "../host/actor-host.js";
import { ModuleFunctions } from "./module-functions.js";

/** The exit code of a durable actor whose commit was refused. */
const refusedCode = 71;
/** The milliseconds that the process waits at its end until pending spans are sent. */
const flushMs = 1_000;
const defaults = { maxPendingCalls: 10_000, maxPendingBytes: 256 * 1024 * 1024 };

export interface RunningActorProcess {
  readonly ready: proto.ActorProcessReady.$Properties;
  /** Applies the credentials after a rotation of the token, or a renewal. @throws {PalimpsestError} INVALID_ARGUMENT */
  adopt(credentials: proto.ProcessCredentials.$Properties): void;
  /** Runs the actor's stop() and ends its services. */
  stop(): Promise<void>;
}

/**
 * Creates the actor and serves it.
 * @param environment the process environment that the actor's context shows
 * @param onExit called when the actor ends itself; the caller then calls stop()
 * @param onTasks called with reports about its calls, at most once per second
 * @throws {PalimpsestError} if its module, constructor or start() fails
 */
export async function startActorProcess(
  start: proto.ActorProcessStart.$Properties,
  environment: ActorContext["environment"],
  onExit: (reason: string) => void = () => undefined,
  onTasks?: (report: proto.TaskReport.$Properties) => void,
): Promise<RunningActorProcess> {
  const spec = start.spec;
  if (!spec?.actorId) throw new PalimpsestError("INVALID_ARGUMENT", "the start message contains no actor");
  const incarnation = start.incarnation ?? 0;
  const listenHost = start.listenHost || "127.0.0.1";
  const ports = portsOf(start);
  const role = spec.role || "actor";
  const services = openServices(start);
  const { credentials, onCall, network } = services;
  const metrics = createMetrics({
    component: role,
    labels: { actor_id: spec.actorId, node_id: start.nodeId ?? "", job_id: spec.jobId ?? "" },
  });
  await openProcessTracing(start, environment, metrics);
  const program = services.values(incarnationName({ actorId: spec.actorId, incarnation }));
  const events = onTasks && start.taskEvents ? callEventsOf(start, onTasks) : undefined;
  const [serveOn, { host, address }, metricsServer] = await Promise.all([
    spec.taskWorker
      ? loadFunctions(start)
      : loadClass(start, program, async ({ logger }) => {
          // The module is loaded by durable actors only, so that others start faster.
          const { openDurable } = await import("../durable/open-durable.js");
          return await openDurable(spec, incarnation, {
            head: services.head(),
            logger,
            onRefused: endRefused,
          });
        }),
    ActorHost.start(
      {
        ...hostedActor(spec, incarnation),
        network,
        listenHost,
        ports,
        values: () => program.values,
        events,
      },
      { metrics },
    ),
    listenWithin(ports, (port) =>
      serveMetrics(metrics.registry, { guard: httpGuard(credentials, onCall), host: listenHost, port }),
    ),
  ]);
  // Actors that it spawns from the same module need not be bundled again.
  if (spec.code?.bundle) knowBundle(start.moduleUrl ?? "", spec.code.bundle);
  const { context, close } = createContext(start, {
    ...{ network, metrics, environment, onExit },
    program: () => program,
  });
  const end = await serveOn(host, context);

  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    host.end();
    try {
      await close.abort();
      await end();
    } finally {
      events?.close();
      await tracing()?.flush(flushMs);
      program.close();
      await Promise.all([host.close(), metricsServer.close(), close.connections()]);
      services.close();
    }
  }
  return {
    ready: { address, metricsAddress: metricsServer.address },
    adopt: (next) =>
      adoptCredentials(credentials, next, (reason) => {
        context.logger.warn(
          { err: reason },
          "the node's new certificate cannot be used; the earlier one stays in use",
        );
      }),
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Reports the calls of this actor. */
export function callEventsOf(
  { spec, incarnation, nodeId }: proto.ActorProcessStart.$Properties,
  report: (report: proto.TaskReport.$Properties) => void,
): CallEvents {
  const about = {
    ...{ incarnation: incarnation ?? 0, nodeId: nodeId ?? "", pid: process.pid, role: spec?.role || "actor" },
    ...{ actorId: spec?.actorId ?? "", jobId: spec?.jobId ?? "" },
  };
  return new CallEvents({ about, isTasks: spec?.taskWorker ?? false, report });
}

/** Returns how the actor of this specification receives its calls. */
export function hostedActor(spec: proto.ActorSpec.$Properties, incarnation: number) {
  return {
    actorId: spec.actorId ?? "",
    incarnation,
    maxConcurrency: spec.maxConcurrency ?? 0,
    maxPendingCalls: spec.maxPendingCalls || defaults.maxPendingCalls,
    maxPendingBytes: spec.maxPendingBytes || defaults.maxPendingBytes,
    concurrencyGroups: spec.concurrencyGroups ?? {},
    methodGroups: spec.methodGroups ?? {},
  };
}

/** Another process has the actor's state, so answers from this one would be wrong. */
function endRefused(error: PalimpsestError): void {
  process.stderr.write(`${error.message}\n`);
  process.exit(refusedCode);
}

/** Creates what the process hosts and serves it. @returns a function that runs before its services close */
type Serve = (host: ActorHost, context: ActorContext) => Promise<() => Promise<void>>;

async function loadClass(
  { spec, moduleUrl }: proto.ActorProcessStart.$Properties,
  { values }: ProgramValues,
  openState: (context: ActorContext) => Promise<DurableActor>,
): Promise<Serve> {
  const exportName = spec?.code?.exportName ?? "";
  const Class = await loadActorClass({ moduleUrl: moduleUrl ?? "", exportName });
  return async (host, context) => {
    const args = await argumentsOf(spec ?? {}, context);
    if (!spec?.durable) {
      const instance = await createInstance(Class, args, context, values);
      host.serve(instance);
      return () => stopInstance(instance);
    }
    const durable = await openState(context);
    const own = Object.create(context, {
      state: { value: durable.state },
      timers: { value: durable.timers },
    }) as ActorContext;
    let made: object | undefined;
    // Changes by start() are committed before anybody can call the actor.
    await durable.call(undefined, "start", async () => {
      made = await createInstance(Class, args, own, values);
    });
    const instance = made ?? {};
    host.serve(instance, durable);
    durable.serve((name) => host.methodOf(name));
    return async () => {
      durable.close();
      await stopInstance(instance);
    };
  };
}

async function loadFunctions(start: proto.ActorProcessStart.$Properties): Promise<Serve> {
  const moduleUrl = start.moduleUrl ?? "";
  const module = await importModule(moduleUrl);
  const mark = start.startedPath ? StartedMark.open(start.startedPath) : undefined;
  return async (host, context) => {
    host.serveTasks(new ModuleFunctions(module, moduleUrl, context, mark));
    return async () => undefined;
  };
}

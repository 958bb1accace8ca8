/**
 * Responsibility: the life of an actor's process, from the node's start message to its end.
 * Not responsible for: the channel to the node (main.ts), calls (actor-host.ts).
 *
 * Invariants:
 * - ACTORPROCESS-1. Readiness is told after the constructor and start() have succeeded, never before.
 * - ACTORPROCESS-2. stop() runs at most once, and the services close after it.
 */
import {
  type ActorContext,
  type Cluster,
  connect,
  HeadClient,
  knowBundle,
  Objects,
  ProgramValues,
} from "@palimpsest/client";
import { createLogger, createMetrics, type LogLevel, logLevels, serveMetrics } from "@palimpsest/telemetry";
import {
  AuditLog,
  adoptCredentials,
  credentialsOf,
  grpcNetwork,
  httpGuard,
  type Network,
  PalimpsestError,
  systemClock,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { createInstance, importModule, loadActorClass, stopInstance } from "./actor-class.js";
import { ActorHost } from "./actor-host.js";
import { CallEvents } from "./call-events.js";
import { ModuleFunctions } from "./module-functions.js";
import { StartedMark } from "./started-mark.js";

const objectTimeoutMs = 120_000;
const controlTimeoutMs = 30_000;
/** As that of a connection that names none. */
const callTimeoutMs = 600_000;
/** A node has many actors, and what they refuse lies among their logs. */
const refusalsMaxBytes = 1024 * 1024;
const defaults = { maxPendingCalls: 10_000, maxPendingBytes: 256 * 1024 * 1024 };

export interface RunningActorProcess {
  readonly ready: proto.ActorProcessReady.$Properties;
  /** Takes the credentials that follow a rotation of the token, or a renewal. @throws {PalimpsestError} INVALID_ARGUMENT */
  adopt(credentials: proto.ProcessCredentials.$Properties): void;
  /** Runs the actor's stop() and ends its services. */
  stop(): Promise<void>;
}

/**
 * Makes the actor and serves it.
 * @param environment what the actor's context shows of the process's
 * @param onExit told when the actor ends itself: somebody is then to call stop()
 * @param onTasks told what became of its calls, once a second at most
 * @throws {PalimpsestError} when its module, constructor or start() fails
 */
export async function startActorProcess(
  start: proto.ActorProcessStart.$Properties,
  environment: ActorContext["environment"],
  onExit: (reason: string) => void = () => undefined,
  onTasks?: (report: proto.TaskReport.$Properties) => void,
): Promise<RunningActorProcess> {
  const spec = start.spec;
  if (!spec?.actorId) throw new PalimpsestError("INVALID_ARGUMENT", "the start message names no actor");
  const incarnation = start.incarnation ?? 0;
  const listenHost = start.listenHost || "127.0.0.1";
  const role = spec.role || "actor";
  const credentials = credentialsOf(start.credentials ?? {});
  const onCall = refusalsTo(start.refusalsPath ?? "");
  const network = grpcNetwork({ credentials, onCall });
  const metrics = createMetrics({
    component: role,
    labels: { actor_id: spec.actorId, node_id: start.nodeId ?? "", job_id: spec.jobId ?? "" },
  });
  let head: HeadClient | undefined;
  const program = new ProgramValues({
    head: () => {
      head ??= new HeadClient(network, start.headAddress ?? "", controlTimeoutMs);
      return head;
    },
    ...{ network, callTimeoutMs },
    objectsAddress: () => Promise.resolve(start.objectsAddress ?? ""),
    holder: `${spec.actorId}.${incarnation}`,
  });
  const events = onTasks && callEventsOf(start, role, onTasks);
  const [serveOn, { host, address }, metricsServer] = await Promise.all([
    spec.taskWorker ? loadFunctions(start) : loadClass(start, program),
    ActorHost.start(
      {
        actorId: spec.actorId,
        incarnation,
        maxConcurrency: spec.maxConcurrency ?? 0,
        maxPendingCalls: spec.maxPendingCalls || defaults.maxPendingCalls,
        maxPendingBytes: spec.maxPendingBytes || defaults.maxPendingBytes,
        concurrencyGroups: spec.concurrencyGroups ?? {},
        methodGroups: spec.methodGroups ?? {},
        network,
        listenHost,
        values: program.values,
        events,
      },
      { metrics },
    ),
    serveMetrics(metrics.registry, { guard: httpGuard(credentials, onCall), host: listenHost, port: 0 }),
  ]);
  // What it spawns of its own from the same module need not be bundled again.
  if (spec.code?.bundle) knowBundle(start.moduleUrl ?? "", spec.code.bundle);
  const { context, close } = createContext(start, { network, metrics, environment, onExit, program });
  const end = await serveOn(host, context);

  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    host.end();
    try {
      await close.abort();
      await end();
    } finally {
      events?.close();
      await Promise.all([host.close(), metricsServer.close(), close.connections()]);
      head?.close();
    }
  }
  return {
    ready: { address, metricsAddress: metricsServer.address },
    adopt: (next) =>
      adoptCredentials(credentials, next, (reason) => {
        context.logger.warn(
          { err: reason },
          "the node's new certificate cannot be used, the one before stays",
        );
      }),
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function callEventsOf(
  { spec, incarnation, nodeId }: proto.ActorProcessStart.$Properties,
  role: string,
  report: (report: proto.TaskReport.$Properties) => void,
): CallEvents {
  const about = {
    ...{ incarnation: incarnation ?? 0, nodeId: nodeId ?? "", pid: process.pid, role },
    ...{ actorId: spec?.actorId ?? "", jobId: spec?.jobId ?? "" },
  };
  return new CallEvents({ about, isTasks: spec?.taskWorker ?? false, report });
}

/** Makes what the process is for and serves it. @returns what runs before its services close */
type Serve = (host: ActorHost, context: ActorContext) => Promise<() => Promise<void>>;

async function loadClass(
  { spec, moduleUrl }: proto.ActorProcessStart.$Properties,
  { values }: ProgramValues,
): Promise<Serve> {
  const exportName = spec?.code?.exportName ?? "";
  const Class = await loadActorClass({ moduleUrl: moduleUrl ?? "", exportName });
  return async (host, context) => {
    const instance = await createInstance(Class, await argumentsOf(spec ?? {}, context), context, values);
    host.serve(instance);
    return () => stopInstance(instance);
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

/** Writes a line for each call that this process refuses, beside its log. */
function refusalsTo(path: string): AuditLog["record"] {
  if (path === "") return () => undefined;
  const onError = (reason: unknown, fields: object) => {
    process.stderr.write(`refused calls cannot be logged: ${String(reason)}: ${JSON.stringify(fields)}\n`);
  };
  const audit = new AuditLog({ refusals: path }, { clock: systemClock, onError, maxBytes: refusalsMaxBytes });
  return audit.record;
}

/** The encoded constructor arguments: those in the specification, or the object that stands for them. */
async function argumentsOf(spec: proto.ActorSpec.$Properties, context: ActorContext): Promise<Uint8Array> {
  const object = spec.argsObject;
  if (!object?.objectId) return spec.args ?? new Uint8Array();
  return await context.objects.get({ objectId: object.objectId, sizeBytes: object.sizeBytes ?? 0 });
}

function createContext(
  start: proto.ActorProcessStart.$Properties,
  {
    network,
    metrics,
    environment,
    onExit,
    program,
  }: Pick<ActorContext, "metrics" | "environment"> & {
    readonly network: Network;
    readonly program: ProgramValues;
    readonly onExit: (reason: string) => void;
  },
) {
  const spec = start.spec ?? {};
  const actorId = spec.actorId ?? "";
  const role = spec.role || "actor";
  const abort = new AbortController();
  const objectsAddress = start.objectsAddress ?? "";
  const objects = new Objects({
    address: () => Promise.resolve(objectsAddress),
    network,
    // They live as long as the actor, through its restarts: those of a detached one outlive its owner.
    holder: actorId,
    defaultTimeoutMs: objectTimeoutMs,
  });
  let cluster: Promise<Cluster> | undefined;
  const context: ActorContext = {
    actorId,
    name: spec.name ?? "",
    namespace: spec.namespace || "default",
    role,
    nodeId: start.nodeId ?? "",
    jobId: spec.jobId ?? "",
    incarnation: start.incarnation ?? 0,
    clusterId: start.clusterId ?? "",
    headAddress: start.headAddress ?? "",
    environment,
    objects,
    logger: createLogger({
      component: role,
      level: levelOf(start.logLevel),
      fields: { actorId, nodeId: start.nodeId, jobId: spec.jobId || undefined },
    }),
    metrics,
    signal: abort.signal,
    exit: (reason = "") => {
      onExit(reason);
      // Whoever waits for it never goes on: the process ends.
      return new Promise<never>(() => undefined);
    },
    connect() {
      cluster ??= connect(
        {
          address: start.headAddress ?? "",
          token: network.credentials?.token ?? "",
          name: `${role} ${actorId}`,
          namespace: spec.namespace || "default",
          jobId: spec.jobId ?? "",
          objectsAddress,
          objectHolder: actorId,
          owner: {
            actorId,
            incarnation: Math.max(1, start.incarnation ?? 1),
            isTaskWorker: spec.taskWorker ?? false,
            capturedBy: spec.placement?.captureChildren ? (spec.placement.groupId ?? "") : "",
          },
        },
        { network, program },
      ).catch((reason: unknown) => {
        cluster = undefined;
        throw reason;
      });
      return cluster;
    },
  };
  const close = {
    abort: async () => abort.abort(),
    connections: async () => {
      await program.close();
      await objects.close();
      await (await cluster?.catch(() => undefined))?.close();
    },
  };
  return { context, close };
}

function levelOf(name: string | null | undefined): LogLevel {
  return logLevels.find((level) => level === name) ?? "info";
}

/** The context of an actor: facts about itself, and the resources that it may open. */
import { type ActorContext, type Cluster, connect, Objects, type ProgramValues } from "@palimpsest/client";
import { createLogger, type Logger, type LogLevel, logLevels } from "@palimpsest/telemetry";
import { type Network, OwnBulk, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { portsOf } from "./listen-ports.js";

const objectTimeoutMs = 120_000;

/** @returns the context of this start's actor, and a function that closes what it has opened */
export function createContext(
  start: proto.ActorProcessStart.$Properties,
  {
    network,
    metrics,
    environment,
    onExit,
    program,
  }: Pick<ActorContext, "metrics" | "environment"> & {
    readonly network: Network;
    readonly program: () => ProgramValues;
    readonly onExit: (reason: string) => void;
  },
) {
  const spec = start.spec ?? {};
  const actorId = spec.actorId ?? "";
  const role = spec.role || "actor";
  const abort = new AbortController();
  const objectsAddress = start.objectsAddress ?? "";
  // These are created on first use, because a process may have thousands of actors.
  let objects: Objects | undefined;
  let bulk: OwnBulk | undefined;
  let logger: Logger | undefined;
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
    get objects() {
      objects ??= new Objects({
        address: () => Promise.resolve(objectsAddress),
        network,
        // The objects are owned by the actor's id through all restarts. Those of a detached actor outlive the actor's
        // owner.
        holder: actorId,
        defaultTimeoutMs: objectTimeoutMs,
      });
      return objects;
    },
    get bulk() {
      bulk ??= new OwnBulk(network, { host: start.listenHost || "127.0.0.1", ports: portsOf(start) });
      return bulk;
    },
    get logger() {
      logger ??= createLogger({
        component: role,
        level: levelOf(start.logLevel),
        fields: { actorId, nodeId: start.nodeId, jobId: spec.jobId || undefined },
        // The log is written through the stream that knows whose code is running (shared-output.ts).
        ...(spec.sharedProcess ? { destination: process.stderr } : {}),
      });
      return logger;
    },
    metrics,
    get state(): never {
      return notDurable("state");
    },
    get timers(): never {
      return notDurable("timers");
    },
    signal: abort.signal,
    exit: (reason = "") => {
      onExit(reason);
      // The caller never continues, because the process ends.
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
        { network, program: program() },
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
      objects?.close();
      await bulk?.close();
      await (await cluster?.catch(() => undefined))?.close();
    },
  };
  return { context, close };
}

/** Returns the encoded constructor arguments, from the specification or from the object that replaces them. */
export async function argumentsOf(
  spec: proto.ActorSpec.$Properties,
  context: ActorContext,
): Promise<Uint8Array> {
  const object = spec.argsObject;
  if (!object?.objectId) return spec.args ?? new Uint8Array();
  return await context.objects.get({ objectId: object.objectId, sizeBytes: object.sizeBytes ?? 0 });
}

function notDurable(what: string): never {
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `context.${what} exists for durable actors only: set durable in the options of this one`,
  );
}

function levelOf(name: string | null | undefined): LogLevel {
  return logLevels.find((level) => level === name) ?? "info";
}

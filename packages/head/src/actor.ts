import { normalizeQuantities, type Quantities, quantitiesProblem } from "@palimpsest/scheduler";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { startRetryReason } from "./start-retries.js";

export const actorStates = ["PENDING", "STARTING", "ALIVE", "RESTARTING", "DEAD"] as const;
export type ActorState = (typeof actorStates)[number];

/** What a client asked for; never changes. */
export interface ActorSpec {
  readonly actorId: string;
  /** Empty: it has none. */
  readonly name: string;
  readonly code: proto.CodeRef.$Properties;
  /** Constructor arguments in the value codec of wire; opaque here. */
  readonly args: Uint8Array;
  readonly resources: Quantities;
  readonly labels: Readonly<Record<string, string>>;
  /** -1: without limit. */
  readonly maxRestarts: number;
  readonly maxConcurrency: number;
  readonly maxPendingCalls: number;
  /** 0: the default of the actor's process. */
  readonly maxPendingBytes: number;
  /** What every handle starts with; -1: without limit. */
  readonly maxTaskRetries: number;
  readonly detached: boolean;
  readonly ownerId: string;
  /** Of the actor that is the owner; 0 when a session is. */
  readonly ownerIncarnation: number;
  readonly jobId: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly role: string;
  readonly fence: proto.Fence;
}

/** An actor as the head knows it. Changed by ActorTable.update only. */
export interface Actor {
  readonly spec: ActorSpec;
  readonly state: ActorState;
  /** Where it runs or is to run; empty while no node is chosen. */
  readonly nodeId: string;
  readonly address: string;
  readonly metricsAddress: string;
  readonly pid: number;
  /** Counts its processes; 0 before the first. */
  readonly incarnation: number;
  readonly restarts: number;
  readonly certificate: proto.DeathCertificate.$Properties | undefined;
  /** Why it is DEAD, or why its last start failed and is tried again. */
  readonly constructorError: proto.Error.$Properties | undefined;
  /** Starts in a row that failed for a passing reason; 0 once it is ALIVE. */
  readonly startFailures: number;
  /** When the first of them failed. */
  readonly startFailingSinceMs: number;
  /** Nodes that were lost while they started it, since it was last ALIVE. */
  readonly lostStartNodeIds: readonly string[];
  readonly pendingReason: string;
  readonly createdAtMs: number;
}

const stateToProto: Readonly<Record<ActorState, proto.ActorState>> = {
  PENDING: proto.ActorState.ACTOR_STATE_PENDING,
  STARTING: proto.ActorState.ACTOR_STATE_STARTING,
  ALIVE: proto.ActorState.ACTOR_STATE_ALIVE,
  RESTARTING: proto.ActorState.ACTOR_STATE_RESTARTING,
  DEAD: proto.ActorState.ACTOR_STATE_DEAD,
};

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** Whether a client may choose this text as an id or name: it becomes part of keys and file names. */
export function isValidId(id: string): boolean {
  return idPattern.test(id);
}

/** The specification in a request. @throws {PalimpsestError} INVALID_ARGUMENT naming the field */
export function actorSpecFromProto(message: proto.ActorSpec.$Properties | null | undefined): ActorSpec {
  if (!message) throw invalid("spec is missing");
  const spec = specOf(message);
  if (!isValidId(spec.actorId))
    throw invalid(`actor_id is ${JSON.stringify(spec.actorId)}: take newId("actor")`);
  if (spec.name !== "" && !isValidId(spec.name)) {
    throw invalid(
      `name is ${JSON.stringify(spec.name)}: use up to 128 letters, digits, ".", "_", ":" and "-"`,
    );
  }
  if (!spec.code.module && !spec.code.bundle) throw invalid("code names neither a module nor a bundle");
  if (!Number.isInteger(spec.maxRestarts) || spec.maxRestarts < -1) {
    throw invalid(`max_restarts is ${spec.maxRestarts}: it must be -1 (without limit), 0 or more`);
  }
  if (!Number.isInteger(spec.maxTaskRetries) || spec.maxTaskRetries < -1) {
    throw invalid(`max_task_retries is ${spec.maxTaskRetries}: it must be -1 (without limit), 0 or more`);
  }
  const problem = quantitiesProblem(message.resources?.quantities ?? {});
  if (problem !== undefined) throw invalid(problem);
  checkEnvironment(spec.environment);
  return spec;
}

/** @throws {PalimpsestError} INVALID_ARGUMENT for names that are the node's to set */
export function checkEnvironment(environment: Readonly<Record<string, string>>): void {
  const reserved = Object.keys(environment).find((name) => name.startsWith("PALIMPSEST_"));
  if (reserved !== undefined)
    throw invalid(`environment names ${reserved}: names with PALIMPSEST_ are the node's`);
}

function specOf(message: proto.ActorSpec.$Properties): ActorSpec {
  return {
    actorId: message.actorId ?? "",
    name: message.name ?? "",
    code: message.code ?? {},
    args: message.args ?? new Uint8Array(),
    resources: normalizeQuantities(message.resources?.quantities ?? {}),
    labels: { ...message.labels },
    maxRestarts: message.maxRestarts ?? 0,
    maxConcurrency: message.maxConcurrency ?? 0,
    maxPendingCalls: message.maxPendingCalls ?? 0,
    maxPendingBytes: message.maxPendingBytes ?? 0,
    maxTaskRetries: message.maxTaskRetries ?? 0,
    detached: message.detached ?? false,
    ownerId: message.ownerId ?? "",
    ownerIncarnation: message.ownerIncarnation ?? 0,
    jobId: message.jobId ?? "",
    environment: { ...message.environment },
    role: message.role ?? "",
    fence: message.fence ?? proto.Fence.FENCE_UNSPECIFIED,
  };
}

export function specToProto(spec: ActorSpec): proto.ActorSpec.$Properties {
  return {
    ...spec,
    resources: { quantities: { ...spec.resources } },
    labels: { ...spec.labels },
    environment: { ...spec.environment },
  };
}

export function actorToProto(actor: Actor): proto.ActorInfo.$Properties {
  const { spec, state, certificate, constructorError, lostStartNodeIds, ...rest } = actor;
  return {
    ...rest,
    lostStartNodeIds: [...lostStartNodeIds],
    spec: specToProto(spec),
    state: stateToProto[state],
    ...(certificate ? { certificate } : {}),
    ...(constructorError ? { constructorError } : {}),
  };
}

/** For readers: without the constructor's arguments, which can be large and mean nothing to them. */
export function actorForReaders(actor: Actor): proto.ActorInfo.$Properties {
  const pendingReason = actor.pendingReason || startRetryReason(actor);
  return actorToProto({ ...actor, pendingReason, spec: { ...actor.spec, args: new Uint8Array() } });
}

export function encodeActor(actor: Actor): Uint8Array {
  return proto.ActorInfo.encode(actorToProto(actor)).finish();
}

export function decodeActor(bytes: Uint8Array): Actor {
  const info = proto.ActorInfo.decode(bytes);
  const state = actorStates.find((candidate) => stateToProto[candidate] === info.state);
  if (state === undefined) throw new PalimpsestError("CODEC", `a stored actor has state ${info.state}`);
  return {
    spec: specOf(info.spec ?? {}),
    state,
    nodeId: info.nodeId,
    address: info.address,
    metricsAddress: info.metricsAddress,
    pid: info.pid,
    incarnation: info.incarnation,
    restarts: info.restarts,
    certificate: info.certificate ?? undefined,
    constructorError: info.constructorError ?? undefined,
    startFailures: info.startFailures,
    startFailingSinceMs: info.startFailingSinceMs,
    lostStartNodeIds: info.lostStartNodeIds,
    pendingReason: info.pendingReason,
    createdAtMs: info.createdAtMs,
  };
}

function invalid(message: string): PalimpsestError {
  return new PalimpsestError("INVALID_ARGUMENT", message);
}

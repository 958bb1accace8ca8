import { fieldsOf, located, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

/** The states of an actor: alive again after a restart, dead for good. */
export type ActorStateName = "pending" | "starting" | "alive" | "restarting" | "dead" | "unknown";

/** The known facts about the end of a process. */
export interface DeathCertificate {
  readonly reason: string;
  readonly exitCode: number | undefined;
  /** The signal, such as SIGKILL; empty if it exited by itself. */
  readonly signal: string;
  readonly lastStderrLines: readonly string[];
  /** Milliseconds since the epoch. */
  readonly lastHeartbeatMs: number;
  readonly diedAtMs: number;
  readonly ownerId: string;
  readonly nodeId: string;
  readonly pid: number;
}

/** What the head knows about an actor; times are in milliseconds since 1970. */
export interface ActorInfo {
  readonly actorId: string;
  /** The actor's name; empty if it has none. */
  readonly name: string;
  /** The namespace in which its name is unique. */
  readonly namespace: string;
  readonly role: string;
  readonly state: ActorStateName;
  readonly nodeId: string;
  /** host:port; empty unless the actor is alive. */
  readonly address: string;
  readonly metricsAddress: string;
  readonly pid: number;
  /** The number of its processes so far: 1 for the first. */
  readonly incarnation: number;
  readonly resources: Readonly<Record<string, number>>;
  readonly ownerId: string;
  readonly jobId: string;
  readonly detached: boolean;
  /** Its placement group; empty if it is in none. */
  readonly groupId: string;
  /** Why the actor has no node: the number of nodes by cause, and what the nearest node lacks. */
  readonly pendingReason: string;
  readonly createdAtMs: number;
  /** The certificate of the last death, which is kept after a restart. */
  readonly certificate: DeathCertificate | undefined;
}

/** Which actors to list. */
export interface ActorFilter {
  /** Lists dead actors too if no states are named. */
  readonly includeDead?: boolean;
  readonly states?: readonly ActorStateName[];
  readonly nodeId?: string;
  readonly jobId?: string;
  readonly role?: string;
  readonly namespace?: string;
  /** Name under which a module exports the class. */
  readonly className?: string;
  /** The maximum number of actors. Default: all. */
  readonly limit?: number;
}

export const defaultNamespace = "default";

/** Returns the name that commands accept and show: "name" in the default namespace, else "namespace/name". */
export function fullNameOf({ name, namespace }: Pick<ActorInfo, "name" | "namespace">): string {
  return name === "" || namespace === defaultNamespace ? name : `${namespace}/${name}`;
}

export const actorStates: Readonly<Record<number, ActorStateName>> = {
  [proto.ActorState.ACTOR_STATE_PENDING]: "pending",
  [proto.ActorState.ACTOR_STATE_STARTING]: "starting",
  [proto.ActorState.ACTOR_STATE_ALIVE]: "alive",
  [proto.ActorState.ACTOR_STATE_RESTARTING]: "restarting",
  [proto.ActorState.ACTOR_STATE_DEAD]: "dead",
};

function certificateView(message: proto.DeathCertificate.$Properties): DeathCertificate {
  const certificate = fieldsOf(proto.DeathCertificate, message);
  const { reason, exitCode, signal, lastStderrLines, lastHeartbeatMs, diedAtMs, ownerId, nodeId, pid } =
    certificate;
  return {
    ...{ reason: located(reason), signal, lastStderrLines, lastHeartbeatMs, diedAtMs, ownerId, nodeId, pid },
    exitCode: exitCode ?? undefined,
  };
}

export function actorView(message: proto.ActorInfo.$Properties): ActorInfo {
  const { certificate, state, ...actor } = fieldsOf(proto.ActorInfo, message);
  const { nodeId, address, metricsAddress, pid, incarnation, pendingReason, createdAtMs } = actor;
  const { namespace, resources, placement, ...spec } = fieldsOf(proto.ActorSpec, message.spec ?? {});
  const { actorId, name, role, ownerId, jobId, detached } = spec;
  return {
    ...{ actorId, name, role, ownerId, jobId, detached },
    ...{ nodeId, address, metricsAddress, pid, incarnation, pendingReason, createdAtMs },
    namespace: namespace || defaultNamespace,
    state: actorStates[state] ?? "unknown",
    resources: resources?.quantities ?? {},
    groupId: placement?.groupId ?? "",
    certificate: certificate ? certificateView(certificate) : undefined,
  };
}

/** @throws {PalimpsestError} INVALID_ARGUMENT for a name that the head does not know */
export function actorStateOf(name: ActorStateName): proto.ActorState {
  for (const [state, known] of Object.entries(actorStates)) if (known === name) return Number(state);
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `state is ${name}: it must be one of ${Object.values(actorStates).join(", ")}`,
  );
}

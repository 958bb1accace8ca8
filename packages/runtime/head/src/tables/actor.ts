import { normalizeQuantities, type Quantities, requestProblem, type Scope } from "@palimpsest/scheduler";
import { fieldsOf, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { checkConcurrency, checkShared } from "./actor-checks.js";
import { checkName, shownText } from "./bounded-texts.js";
import {
  checkRuntimeEnvironment,
  type RuntimeEnvironment,
  runtimeEnvironmentOf,
  underParent,
} from "./runtime-environment.js";
import { checkScheduling, type Scheduling, schedulingOf, schedulingToProto } from "./scheduling.js";

export const actorStates = ["PENDING", "STARTING", "ALIVE", "RESTARTING", "DEAD"] as const;
export type ActorState = (typeof actorStates)[number];

/** What a client requested. It never changes, except that the actor may get another owner (OWNER-8). */
export interface ActorSpec extends Scheduling, RuntimeEnvironment {
  readonly actorId: string;
  /** The actor's name; empty if it has none. */
  readonly name: string;
  /** The namespace in which the name is unique; empty for the default one. */
  readonly namespace: string;
  readonly code: proto.CodeRef.$Properties;
  /** The constructor arguments in wire's value codec, which the head does not decode. */
  readonly args: Uint8Array;
  /** The object that has the arguments if they are large. The actor's process fetches it; `args` is then empty. */
  readonly argsObject: proto.ArgsObject.$Properties | null;
  readonly resources: Quantities;
  /** -1 means no limit. */
  readonly maxRestarts: number;
  readonly maxConcurrency: number;
  /**
   * The number of concurrent calls of each concurrency group besides the default one, by the group's name, and the
   * group of each method.
   */
  readonly concurrencyGroups: Readonly<Record<string, number>>;
  readonly methodGroups: Readonly<Record<string, string>>;
  readonly maxPendingCalls: number;
  /** With 0 the default of the actor's process applies. */
  readonly maxPendingBytes: number;
  /** The initial value of every handle; -1 means no limit. */
  readonly maxTaskRetries: number;
  readonly detached: boolean;
  readonly ownerId: string;
  /** The incarnation of the owner if it is an actor; 0 if it is a session. */
  readonly ownerIncarnation: number;
  readonly jobId: string;
  readonly role: string;
  readonly fence: proto.Fence;
  /**
   * Whether it is a worker that is leased for tasks of one shape, which hosts the functions of a module instead of an
   * instance of a class.
   */
  readonly taskWorker: boolean;
  /** Whether it is a light actor, which shares a process with others. */
  readonly sharedProcess: boolean;
  /** Whether its state is kept under its name and survives it (durable-states.ts). */
  readonly durable: boolean;
  /** Whether it may be stopped for requests that go before it (preemptions.ts). */
  readonly preemptible: boolean;
  /** The placement group whose bundles it takes its resources from. Its index is undefined if any bundle will do. */
  readonly placement: ActorPlacement | undefined;
  /** It runs only with fewer than that many others of the scope. */
  readonly scope: Scope | undefined;
}

interface ActorPlacement {
  readonly groupId: string;
  readonly bundle: number | undefined;
  /** Whether the actors that it spawns go into the group too, which clients apply. */
  readonly captureChildren: boolean;
}

/** An actor as the head knows it. Only ActorTable.update changes it. */
export interface Actor {
  readonly spec: ActorSpec;
  readonly state: ActorState;
  /** The node where it runs or will run; empty until one is chosen. */
  readonly nodeId: string;
  readonly address: string;
  readonly metricsAddress: string;
  readonly pid: number;
  /** The number of the actor's processes so far; 0 before the first. */
  readonly incarnation: number;
  readonly restarts: number;
  readonly certificate: proto.DeathCertificate.$Properties | undefined;
  /** Why it is DEAD, or why its last start failed and will be retried. */
  readonly constructorError: proto.Error.$Properties | undefined;
  /** Consecutive starts that failed for a transient reason; 0 once it is ALIVE. */
  readonly startFailures: number;
  /** The time from the first of these failures to the last, as measured by the heads that ran. */
  readonly startFailingMs: number;
  /** Nodes that were lost while they were starting it, since it was last ALIVE. */
  readonly lostStartNodeIds: readonly string[];
  /** The GPUs of its node that it leases. */
  readonly gpuIds: readonly number[];
  /** The index of the bundle that it takes its resources from, while it has a node. */
  readonly bundle: number | undefined;
  readonly createdAtMs: number;
}

export const actorStateToProto: Readonly<Record<ActorState, proto.ActorState>> = {
  PENDING: proto.ActorState.ACTOR_STATE_PENDING,
  STARTING: proto.ActorState.ACTOR_STATE_STARTING,
  ALIVE: proto.ActorState.ACTOR_STATE_ALIVE,
  RESTARTING: proto.ActorState.ACTOR_STATE_RESTARTING,
  DEAD: proto.ActorState.ACTOR_STATE_DEAD,
};

export function actorStateFromProto(state: proto.ActorState): ActorState | undefined {
  return actorStates.find((candidate) => actorStateToProto[candidate] === state);
}

/** Returns whether a node runs it, or was ordered to start it. */
export function hasProcess({ state }: Pick<Actor, "state">): boolean {
  return state === "STARTING" || state === "ALIVE";
}

/** Returns whether it waits for a node. */
export function waitsForNode({ state }: Pick<Actor, "state">): boolean {
  return state === "PENDING" || state === "RESTARTING";
}

/** The maximum size in bytes of constructor arguments in the specification. Larger ones are passed as an object. */
export const maxInlineArgsBytes = 100 * 1024;

/** The maximum size in bytes of a specification without its arguments. */
const maxSpecBytes = 64 * 1024;

/**
 * Returns whether a process of the DEAD or waiting actor may still run: no node has reported how its last process
 * ended.
 */
export function mayStillRun({ certificate, incarnation }: Actor): boolean {
  if (incarnation === 0 || !certificate?.nodeId) return false;
  // An end that the node has reported has an exit code or a signal.
  return !certificate.processEnded && typeof certificate.exitCode !== "number" && !certificate.signal;
}

/** The namespace of actors that name none. */
export const defaultNamespace = "default";

/** Returns a namespace as the tables store it, which is empty for the default one. */
export function namespaceOf(namespace: string | null | undefined): string {
  return namespace === defaultNamespace ? "" : (namespace ?? "");
}

/**
 * Returns the actor's name, unique in the cluster: "name" in the default namespace, otherwise "namespace/name". Empty
 * without a name.
 */
export function fullNameOf({ name, namespace }: Pick<ActorSpec, "name" | "namespace">): string {
  return name === "" || namespace === "" ? name : `${namespace}/${name}`;
}

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** Returns whether a client may choose this text as an id or a name, which becomes part of keys and file names. */
export function isValidId(id: string): boolean {
  return idPattern.test(id);
}

/** Parses and checks the specification in a request. @throws {PalimpsestError} INVALID_ARGUMENT naming the field */
export function actorSpecFromProto(message: proto.ActorSpec.$Properties | null | undefined): ActorSpec {
  if (!message) throw invalid("spec is missing");
  const spec = specOf(message);
  if (!isValidId(spec.actorId))
    throw invalid(`actor_id is ${JSON.stringify(spec.actorId)}: use an id such as newId("actor") returns`);
  if (spec.name !== "" && !isValidId(spec.name)) {
    throw invalid(`name is ${shownText(spec.name)}: use up to 128 letters, digits, ".", "_", ":" and "-"`);
  }
  if (spec.namespace !== "" && !isValidId(spec.namespace)) {
    throw invalid(
      `namespace is ${shownText(spec.namespace)}: use up to 128 letters, digits, ".", "_", ":" and "-"`,
    );
  }
  checkName("role", spec.role);
  checkName("code.module", spec.code.module ?? "");
  checkName("code.export_name", spec.code.exportName ?? "");
  if (!spec.code.module && !spec.code.bundle)
    throw invalid("code has neither a module nor a bundle: give one of them");
  if (!Number.isInteger(spec.maxRestarts) || spec.maxRestarts < -1) {
    throw invalid(`max_restarts is ${spec.maxRestarts}: it must be -1 (without limit), 0 or more`);
  }
  if (!Number.isInteger(spec.maxTaskRetries) || spec.maxTaskRetries < -1) {
    throw invalid(`max_task_retries is ${spec.maxTaskRetries}: it must be -1 (without limit), 0 or more`);
  }
  if (spec.taskWorker && (spec.name !== "" || spec.detached || spec.maxRestarts !== 0)) {
    throw invalid("task_worker is true: leave name empty, detached false and max_restarts 0");
  }
  if (spec.preemptible && !spec.taskWorker && spec.maxRestarts === 0)
    throw invalid(
      "preemptible is true and max_restarts is 0: it would not come back, so give maxRestarts 1 or more, or -1 for no limit",
    );
  checkShared(spec);
  if (spec.durable && (spec.name === "" || spec.taskWorker))
    throw invalid("durable is true and name is empty: the state is stored under the name, so give one");
  if (spec.durable && spec.sharedProcess)
    throw invalid(
      "durable and shared_process are true: a durable actor needs a process of its own, so leave shared_process out",
    );
  const problem = requestProblem(message.resources?.quantities ?? {});
  if (problem !== undefined) throw invalid(problem);
  checkScheduling(message);
  checkPlacement(spec);
  checkScope(spec.scope);
  checkConcurrency(spec);
  checkRuntimeEnvironment(spec);
  checkSize(message, spec.args.byteLength);
  return spec;
}

function checkScope(scope: Scope | undefined): void {
  if (scope === undefined) return;
  if (!isValidId(scope.name))
    throw invalid(
      `scope.name is ${shownText(scope.name)}: use up to 128 letters, digits, ".", "_", ":" and "-"`,
    );
  if (scope.max < 1) throw invalid(`scope.max is ${scope.max}: it must be at least 1`);
}

/** Refuses conditions of an actor in a group, because the group decides which node a bundle is on. */
function checkPlacement({ placement, labels, labelConditions, strategy }: ActorSpec): void {
  if (placement === undefined) return;
  const { groupId, bundle = 0 } = placement;
  if (!isValidId(groupId))
    throw invalid(`placement.group_id is ${JSON.stringify(groupId)}: give the id of a placement group`);
  if (!Number.isInteger(bundle) || bundle < 0)
    throw invalid(`placement.bundle is ${bundle}: give the index of a bundle`);
  if (Object.keys(labels).length + labelConditions.length > 0 || strategy.kind !== "pack")
    throw invalid(
      `placement names group ${groupId}, whose bundles already have nodes: leave labels, label_conditions and strategy out`,
    );
}

/** Limits the size, because the specification stays in memory and in Redis for as long as the actor lives. */
function checkSize(message: proto.ActorSpec.$Properties, argsBytes: number): void {
  if (argsBytes > maxInlineArgsBytes) {
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `args take ${argsBytes} bytes, more than ${maxInlineArgsBytes}: put them into the object store (Objects.Put) and give the object's reference in args_object`,
    );
  }
  const specBytes = proto.ActorSpec.encode({ ...message, args: null }).finish().byteLength;
  if (specBytes <= maxSpecBytes) return;
  throw new PalimpsestError(
    "LIMIT_EXCEEDED",
    `the specification takes ${specBytes} bytes without its args, more than ${maxSpecBytes}: pass less in environment and labels`,
  );
}

/**
 * Returns the specification with the runtime environment that it inherits from its parent: its owner, or its job.
 * @throws {PalimpsestError} LIMIT_EXCEEDED when the merged environment variables are too large
 */
export function specUnder(spec: ActorSpec, parent: RuntimeEnvironment | undefined): ActorSpec {
  if (parent === undefined) return spec;
  const child = { ...spec, ...underParent(spec, parent) };
  checkRuntimeEnvironment(child);
  return child;
}

/** Returns the specification in a message that has been checked before. */
export function specOf(message: proto.ActorSpec.$Properties): ActorSpec {
  const { namespace, code, argsObject, resources, placement, scope, ...spec } = fieldsOf(
    proto.ActorSpec,
    message,
  );
  return {
    ...spec,
    ...schedulingOf(spec),
    ...runtimeEnvironmentOf(spec),
    namespace: namespaceOf(namespace),
    code: code ?? {},
    argsObject: argsObject ?? null,
    resources: normalizeQuantities(resources?.quantities ?? {}),
    placement: placement ? placementOf(placement) : undefined,
    scope: scopeOf(scope),
  };
}

/** Returns the scope in a message that has been checked before. */
export function scopeOf(message: proto.Scope.$Properties | null | undefined): Scope | undefined {
  return message ? { name: message.name ?? "", max: message.max ?? 0 } : undefined;
}

function placementOf(message: proto.GroupPlacement.$Properties): ActorPlacement {
  const { bundle, ...placement } = fieldsOf(proto.GroupPlacement, message);
  return { ...placement, bundle: bundle ?? undefined };
}

/** Returns what is kept of a DEAD actor's specification, which are the fields that listings show. */
export function specOfDead(spec: ActorSpec): ActorSpec {
  const scheduling = schedulingOf({});
  return { ...spec, ...scheduling, args: new Uint8Array(), argsObject: null, environment: {} };
}

export function specToProto(spec: ActorSpec): proto.ActorSpec.$Properties {
  return {
    ...spec,
    ...schedulingToProto(spec),
    resources: { quantities: { ...spec.resources } },
    environment: { ...spec.environment },
    packages: spec.packages ?? null,
    concurrencyGroups: { ...spec.concurrencyGroups },
    methodGroups: { ...spec.methodGroups },
    placement: spec.placement ? { ...spec.placement, bundle: spec.placement.bundle ?? null } : null,
    scope: spec.scope ?? null,
  };
}

/**
 * Returns the actor for readers: without the constructor's arguments, which can be large, and without the environment,
 * which can be secret.
 */
export function actorForReaders(actor: Actor, pendingReason = ""): proto.ActorInfo.$Properties {
  const { certificate, constructorError, spec } = actor;
  return {
    ...actor,
    pendingReason,
    lostStartNodeIds: [...actor.lostStartNodeIds],
    gpuIds: [...actor.gpuIds],
    bundle: actor.bundle ?? null,
    spec: { ...specToProto(spec), args: null, environment: {} },
    state: actorStateToProto[actor.state],
    certificate: certificate ?? null,
    constructorError: constructorError ?? null,
  };
}

function invalid(message: string): PalimpsestError {
  return new PalimpsestError("INVALID_ARGUMENT", message);
}

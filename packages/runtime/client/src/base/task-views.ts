/** Tasks and events of the cluster, as programs see them. */
import { fieldsOf, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

/** All states of a task or call. */
export const taskStateNames = ["pending", "running", "finished", "failed", "cancelled"] as const;
/** The states of a task or call. */
export type TaskStateName = (typeof taskStateNames)[number];
/** All kinds of rows of the task listing. */
export const taskKindNames = ["task", "call", "transfer"] as const;
/** What a row of the task listing is: a task, a call of an actor, or a transfer of an object. */
export type TaskKindName = (typeof taskKindNames)[number];

/** One attempt at a task, one call of an actor, or one transfer of an object between nodes. */
export interface TaskInfo {
  readonly taskId: string;
  readonly kind: TaskKindName | "unknown";
  /** The name of the function or method. */
  readonly name: string;
  readonly state: TaskStateName | "unknown";
  /** The actor, or the worker for tasks; empty while none has it. */
  readonly actorId: string;
  readonly incarnation: number;
  /** The process that reports it. */
  readonly role: string;
  readonly nodeId: string;
  readonly pid: number;
  readonly jobId: string;
  /** The caller: a session, or an incarnation of an actor as "ACTOR.NUMBER"; empty if it did not name itself. */
  readonly callerId: string;
  /** Milliseconds since the epoch, with fractions; 0 if it has not happened. */
  readonly queuedAtMs: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly errorCode: string;
  readonly errorMessage: string;
  /** Fields of a transfer. */
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly peerAddress: string;
}

/** Filters. A filter that is left out matches everything. */
export interface TaskFilter {
  readonly states?: readonly TaskStateName[];
  readonly kinds?: readonly TaskKindName[];
  readonly name?: string;
  readonly jobId?: string;
  readonly nodeId?: string;
  readonly actorId?: string;
  readonly callerId?: string;
  readonly errorCode?: string;
  /** Maximum number of entries. Default: all. */
  readonly limit?: number;
}

/** The totals of one kind and name in one job. */
export interface TaskCountsInfo {
  readonly kind: TaskKindName | "unknown";
  readonly name: string;
  readonly jobId: string;
  readonly pending: number;
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
  readonly cancelled: number;
  /** The total running time of those that ended. */
  readonly ranMs: number;
  /** The number of those that ended and are in no list. */
  readonly leftOut: number;
}

/** Something that happened to a node, an actor or a job; `atMs` is in milliseconds since 1970. */
export interface ClusterEventInfo {
  readonly atMs: number;
  /** The event, such as "actor dead", "node joined", "drain began". */
  readonly kind: string;
  readonly subjectId: string;
  readonly nodeId: string;
  readonly jobId: string;
  readonly message: string;
}

/** Which events a listing contains; an event has to match every field that is given. */
export interface ClusterEventFilter {
  readonly kind?: string;
  readonly subjectId?: string;
  readonly nodeId?: string;
  readonly jobId?: string;
  /** Maximum number of events. Default: all. */
  readonly limit?: number;
}

/** Returns the name of a number of the protocol. These numbers start at 1. */
function nameOf<Name extends string>(names: readonly Name[], number: number): Name | "unknown" {
  return names[number - 1] ?? "unknown";
}

/** @throws {PalimpsestError} INVALID_ARGUMENT for an unknown name */
function numberOf(field: string, names: readonly string[], name: string): number {
  const index = names.indexOf(name);
  if (index >= 0) return index + 1;
  throw new PalimpsestError("INVALID_ARGUMENT", `${field} is ${name}: it must be one of ${names.join(", ")}`);
}

export function taskRequest({
  states = [],
  kinds = [],
  ...filter
}: TaskFilter): proto.ListTasksRequest.$Properties {
  return {
    ...filter,
    states: states.map((state) => numberOf("state", taskStateNames, state)),
    kinds: kinds.map((kind) => numberOf("kind", taskKindNames, kind)),
  };
}

export function taskView(event: proto.TaskEvent.$Properties): TaskInfo {
  const {
    kind,
    state,
    queuedAtUs,
    startedAtUs,
    endedAtUs,
    sequence: _,
    ...task
  } = fieldsOf(proto.TaskEvent, event);
  return {
    ...task,
    kind: nameOf(taskKindNames, kind),
    state: nameOf(taskStateNames, state),
    queuedAtMs: queuedAtUs / 1_000,
    startedAtMs: startedAtUs / 1_000,
    endedAtMs: endedAtUs / 1_000,
  };
}

export function taskCountsView(message: proto.TaskCounts.$Properties): TaskCountsInfo {
  const { kind, ranUs, ...counts } = fieldsOf(proto.TaskCounts, message);
  return { ...counts, kind: nameOf(taskKindNames, kind), ranMs: ranUs / 1_000 };
}

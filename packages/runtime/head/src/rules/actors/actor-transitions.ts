/**
 * An actor's life: what each event makes of each state, or why it changes nothing. docs/architecture.md shows the table.
 *
 * Responsibility: every change of an actor's state.
 * Not responsible for: which event has happened, or what else follows from it (the other files of this folder).
 *
 * Invariants:
 * - TRANSITION-1. The state of an actor changes only as the table says; a refused event changes nothing of the actor.
 */
import type { Actor, ActorState } from "../../tables/actor.js";
import type { ActorPatch, ActorTable } from "../../tables/actor-table.js";

/** Why an event has no effect on an actor in some state. */
interface Refusal {
  readonly because: string;
}

const no = (because: string): Refusal => ({ because });

const isDead = no("it is dead, which is final");
const hasNode = no("it has a node");
const noProcess = no("it has no process");

export const actorTransitions = {
  /** A node has room for it. */
  placed: {
    ...{ PENDING: "STARTING", RESTARTING: "STARTING" },
    ...{ STARTING: hasNode, ALIVE: hasNode, DEAD: isDead },
  },
  /** Its node reports that the start is done. */
  started: {
    ...{ PENDING: noProcess, STARTING: "ALIVE", ALIVE: no("its start is done"), RESTARTING: noProcess },
    DEAD: isDead,
  },
  /** A node that registers runs the process that is wanted, whose start is not done. */
  "found starting": {
    ...{ PENDING: "STARTING", STARTING: "STARTING", ALIVE: "STARTING", RESTARTING: "STARTING" },
    DEAD: isDead,
  },
  /** A node that registers runs the process that is wanted. */
  "found running": {
    ...{ PENDING: "ALIVE", STARTING: "ALIVE", ALIVE: "ALIVE", RESTARTING: "ALIVE" },
    DEAD: isDead,
  },
  /** The start failed for a transient reason, or its node was lost; no process of it has been restarted yet. */
  "first start failed": {
    ...{ PENDING: noProcess, STARTING: "PENDING", ALIVE: no("its start is done"), RESTARTING: noProcess },
    DEAD: isDead,
  },
  /** The same for a restart. */
  "restart failed": {
    ...{ PENDING: noProcess, STARTING: "RESTARTING", ALIVE: no("its start is done"), RESTARTING: noProcess },
    DEAD: isDead,
  },
  /** Its process has ended, and it has restarts left. */
  ended: {
    ...{ PENDING: noProcess, STARTING: "RESTARTING", ALIVE: "RESTARTING", RESTARTING: noProcess },
    DEAD: isDead,
  },
  /** Its process has ended, and it has no restarts left, or its end is final; or its starts are given up. */
  "ended for good": {
    ...{ PENDING: noProcess, STARTING: "DEAD", ALIVE: "DEAD", RESTARTING: noProcess },
    DEAD: isDead,
  },
  /** Somebody ends it for good: a client, or the end of its owner, job, placement group or cluster. */
  killed: { PENDING: "DEAD", STARTING: "DEAD", ALIVE: "DEAD", RESTARTING: "DEAD", DEAD: isDead },
  /** A client has its process ended, and it may restart: the state changes when the process has ended. */
  crashed: {
    ...{ PENDING: noProcess, STARTING: "STARTING", ALIVE: "ALIVE", RESTARTING: noProcess },
    DEAD: isDead,
  },
  /** It is to run elsewhere, because its node is about to leave: the state changes when the process has ended. */
  moved: {
    ...{ PENDING: noProcess, STARTING: no("its start is not done"), ALIVE: "ALIVE", RESTARTING: noProcess },
    DEAD: isDead,
  },
} as const satisfies Record<string, Readonly<Record<ActorState, ActorState | Refusal>>>;

export type ActorEvent = keyof typeof actorTransitions;

/** Returns whether the event has an effect on an actor in that state. */
export function permits(event: ActorEvent, { state }: Pick<Actor, "state">): boolean {
  return typeof actorTransitions[event][state] === "string";
}

/**
 * Applies an event to an actor, with what else changes then. Resolves when the change is durable. A refused event
 * changes nothing (TRANSITION-1).
 */
export function transit(
  actors: ActorTable,
  actorId: string,
  event: ActorEvent,
  patch: ActorPatch = {},
): Promise<void> {
  const actor = actors.get(actorId);
  const next = actor && actorTransitions[event][actor.state];
  return typeof next === "string" ? actors.enter(actorId, next, patch) : Promise.resolve();
}

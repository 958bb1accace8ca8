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

type Outcome = ActorState | Refusal;

const no = (because: string): Refusal => ({ because });

const isDead = no("it is dead, which is final");
const hasNode = no("it has a node");
const noProcess = no("it has no process");
const isStarting = no("its start is not done");
const hasStarted = no("its start is done");

/** What an event makes of each state; nothing brings a dead actor back. */
function row(
  PENDING: Outcome,
  STARTING: Outcome,
  ALIVE: Outcome,
  RESTARTING: Outcome,
): Readonly<Record<ActorState, Outcome>> {
  return { PENDING, STARTING, ALIVE, RESTARTING, DEAD: isDead };
}

export const actorTransitions = {
  /** A node has room for it. */
  placed: row("STARTING", hasNode, hasNode, "STARTING"),
  /** Its node reports that the start is done. */
  started: row(noProcess, "ALIVE", hasStarted, noProcess),
  /** A node that registers runs the process that is wanted, whose start is not done. */
  "found starting": row("STARTING", "STARTING", "STARTING", "STARTING"),
  /** A node that registers runs the process that is wanted. */
  "found running": row("ALIVE", "ALIVE", "ALIVE", "ALIVE"),
  /** The start failed for a transient reason, or its node was lost; no process of it has been restarted yet. */
  "first start failed": row(noProcess, "PENDING", hasStarted, noProcess),
  /** The same for a restart. */
  "restart failed": row(noProcess, "RESTARTING", hasStarted, noProcess),
  /** Its process has ended, and it has restarts left. */
  ended: row(noProcess, "RESTARTING", "RESTARTING", noProcess),
  /** Its process has ended, and it has no restarts left, or its end is final; or its starts are given up. */
  "ended for good": row(noProcess, "DEAD", "DEAD", noProcess),
  /** Somebody ends it for good: a client, or the end of its owner, job, placement group or cluster. */
  killed: row("DEAD", "DEAD", "DEAD", "DEAD"),
  /** A client has its process ended, and it may restart: the state changes when the process has ended. */
  crashed: row(noProcess, "STARTING", "ALIVE", noProcess),
  /** It is to run elsewhere, because its node is about to leave: the state changes when the process has ended. */
  moved: row(noProcess, isStarting, "ALIVE", noProcess),
};

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

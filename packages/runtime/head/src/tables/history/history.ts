/**
 * The history of the cluster, for people who look back. It is kept in memory and written by the tables and by reports
 * from processes.
 */
import type { Clock } from "@palimpsest/std";
import { incarnationName } from "@palimpsest/wire";
import type { Actor } from "../actor.js";
import type { ActorTable } from "../actor-table.js";
import type { NodeState } from "../node.js";
import type { NodeTable } from "../node-table.js";
import { ClusterEvents } from "./cluster-events.js";
import { TaskEvents } from "./task-events.js";
import { UseHistory } from "./use-history.js";

export interface HistoryDeps {
  readonly nodes: NodeTable;
  readonly actors: ActorTable;
  readonly clock: Clock;
  /** Whether a process lives that reports tasks. */
  readonly isAlive: (reporterId: string) => boolean;
}

export class History {
  readonly tasks: TaskEvents;
  readonly cluster: ClusterEvents;
  readonly use: UseHistory;
  readonly #nodeStates = new Map<string, NodeState>();

  constructor({ nodes, actors, clock, isAlive }: HistoryDeps) {
    this.tasks = new TaskEvents(clock, isAlive);
    this.cluster = new ClusterEvents(clock);
    this.use = new UseHistory(clock);
    actors.onChange((actor, before) => this.#actorChanged(actor, before));
    nodes.onChange((nodeId) => {
      const node = nodes.get(nodeId);
      const before = this.#nodeStates.get(nodeId);
      if (node === undefined || node.state === before || node.state === "DEAD") return;
      this.#nodeStates.set(nodeId, node.state);
      this.cluster.nodeChanged(node, before);
    });
    nodes.onDead(({ nodeId }, reason) => {
      this.#nodeStates.delete(nodeId);
      this.cluster.add("node dead", nodeId, { nodeId, message: reason });
    });
  }

  /** Records that the program of a session has ended. */
  sessionEnded(sessionId: string, reason: string): void {
    this.tasks.reporterEnded(sessionId, { code: "OWNER_DIED", message: reason });
  }

  #actorChanged(actor: Actor, before: Actor | undefined): void {
    this.cluster.actorChanged(actor, before);
    // A constructor may have called and submitted tasks before it threw.
    if (before === undefined || before.state === actor.state || actor.state === "ALIVE") return;
    const code = actor.spec.taskWorker ? "WORKER_DIED" : "ACTOR_DIED";
    const message = actor.certificate?.reason ?? "its process ended";
    const name = incarnationName({ actorId: actor.spec.actorId, incarnation: before.incarnation });
    this.tasks.reporterEnded(name, { code, message });
  }
}

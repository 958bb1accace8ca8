/**
 * Responsibility: the most recent events of nodes, actors, jobs and placement groups, in memory.
 * Not responsible for: tasks (task-events.ts), or reacting to events.
 */
import type { Clock } from "@palimpsest/std";
import type * as proto from "@palimpsest/wire/protocol";
import type { Actor } from "../actor.js";
import type { Job } from "../job.js";
import type { Node, NodeState } from "../node.js";
import { EventRing } from "./event-ring.js";

const maxEvents = 10_000;
const maxBytes = 4 * 1024 * 1024;
const maxMessageLength = 500;

export type ClusterEvent = proto.ClusterEvent.$Properties;

export type ClusterEventKind =
  | "node joined"
  | "node away"
  | "node dead"
  | "actor alive"
  | "actor restarting"
  | "actor dead"
  | "actor moved"
  | "actor preempted"
  | "job ended"
  | "drain began"
  | "drain ended";

export class ClusterEvents {
  readonly #clock: Clock;
  readonly #events = new EventRing<ClusterEvent>(
    maxEvents,
    maxBytes,
    ({ subjectId, nodeId, jobId, message }) => 200 + `${subjectId}${nodeId}${jobId}${message}`.length,
  );
  #sequence = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(
    kind: ClusterEventKind,
    subjectId: string,
    about: { readonly nodeId?: string; readonly jobId?: string; readonly message?: string } = {},
  ): void {
    const { nodeId = "", jobId = "", message = "" } = about;
    this.#events.push({
      ...{ sequence: ++this.#sequence, atMs: this.#clock.now(), kind, subjectId, nodeId, jobId },
      message: message.slice(0, maxMessageLength),
    });
  }

  actorChanged(actor: Actor, before: Actor | undefined): void {
    const { spec, state, nodeId, certificate } = actor;
    if (state === before?.state || (state !== "ALIVE" && state !== "RESTARTING" && state !== "DEAD")) return;
    const kind = `actor ${state.toLowerCase()}` as ClusterEventKind;
    const why = certificate?.reason ?? "";
    const message =
      state === "ALIVE" ? `${spec.role}, incarnation ${actor.incarnation}` : `${spec.role}: ${why}`;
    this.add(kind, spec.actorId, { nodeId: nodeId || before?.nodeId || "", jobId: spec.jobId, message });
  }

  /** Records that a node is connected or away. Its death is recorded by the caller that knows the reason. */
  nodeChanged({ nodeId, hostname, state }: Node, before: NodeState | undefined): void {
    if (state === "SUSPECT") this.add("node away", nodeId, { nodeId, message: "its link broke" });
    else {
      const message = before === "SUSPECT" ? `${hostname}, back after its link broke` : hostname;
      this.add("node joined", nodeId, { nodeId, message });
    }
  }

  jobEnded({ jobId, nodeId, status, message }: Job): void {
    const parts = [status.toLowerCase(), message].filter((part) => part !== "");
    this.add("job ended", jobId, { nodeId, jobId, message: parts.join(": ") });
  }

  /** Returns the matching events, newest first. */
  list(wanted: (event: ClusterEvent) => boolean): readonly ClusterEvent[] {
    return [...this.#events].filter(wanted).reverse();
  }
}

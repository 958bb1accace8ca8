import { formatHolder, type Holder } from "@palimpsest/wire";
import { type Actor, waitsForNode } from "../tables/actor.js";
import type { ActorTable } from "../tables/actor-table.js";
import { hasEnded } from "../tables/job.js";
import type { JobTable } from "../tables/job-table.js";
import type { ObjectDirectory } from "../tables/object-directory.js";
import type { HolderState } from "../tables/object-holders.js";
import type { Sessions } from "../tables/sessions.js";
import type { ActorLifecycle } from "./actors/actor-lifecycle.js";
import type { Claimant } from "./claims.js";

export interface HolderStatesDeps {
  readonly actors: ActorTable;
  readonly jobs: JobTable;
  readonly sessions: Sessions;
  readonly objects: ObjectDirectory;
  readonly lifecycle: Pick<ActorLifecycle, "mayRun">;
}

/** Whether an owner of leases on objects lives, as all tables together know it. */
export class HolderStates {
  readonly #deps: HolderStatesDeps;

  constructor(deps: HolderStatesDeps) {
    this.#deps = deps;
  }

  of(holder: Holder): HolderState {
    if (holder.kind === "object") return this.#deps.objects.has(holder.objectId) ? "alive" : "unknown";
    if (holder.kind === "program") return this.#ofProgram(holder.id);
    const actor = this.#deps.actors.get(holder.actorId);
    if (actor === undefined) return this.#ofProgram(formatHolder(holder));
    return actor.state === "DEAD" || this.isOver(actor, holder.incarnation) ? "ended" : "alive";
  }

  /** Returns for whom an owner stores objects; undefined if no table knows. */
  claimantOf(holder: Holder): Claimant | undefined {
    const { actors, jobs, sessions } = this.#deps;
    if (holder.kind === "incarnation") {
      const actor = actors.get(holder.actorId);
      if (actor !== undefined) return actor.spec;
    }
    const id = formatHolder(holder);
    const actor = actors.get(id);
    if (actor !== undefined) return actor.spec;
    return jobs.find(id) === undefined ? sessions.claimantOf(id) : { jobId: id, namespace: "" };
  }

  /**
   * Returns whether that process of the actor is gone for good. The actor itself may be pending for hours before its
   * next one.
   */
  isOver(actor: Actor, incarnation: number): boolean {
    if (waitsForNode(actor) && incarnation === actor.incarnation)
      return !this.#deps.lifecycle.mayRun(actor.spec.actorId);
    return actor.incarnation > incarnation;
  }

  #ofProgram(id: string): HolderState {
    const { actors, jobs, sessions } = this.#deps;
    const actor = actors.get(id);
    if (actor !== undefined) return actor.state === "DEAD" ? "ended" : "alive";
    const job = jobs.find(id);
    if (job !== undefined) return hasEnded(job) ? "ended" : "alive";
    return sessions.stateOf(id);
  }
}

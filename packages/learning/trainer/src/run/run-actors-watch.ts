import type { ActorHandle, Cluster } from "@palimpsest/client";
import { withDeadline } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type { RunActors } from "./run-actors.js";
import { lookOften } from "./watch-run.js";

type Member = Pick<ActorHandle<object>, "actorId" | "info">;

export interface RunActorsWatch {
  /** Aborted with ACTOR_DIED when an actor of the run has permanently died. */
  readonly signal: AbortSignal;
  close(): void;
}

/** Watches whether an actor of a run has permanently died. Without this a step would wait until it counts as stuck. */
export function watchRunActors(cluster: Pick<Cluster, "actors">, actors: readonly Member[]): RunActorsWatch {
  const abort = new AbortController();
  const watch = lookOften(async (closed) => {
    const known = new Set((await cluster.actors()).map(({ actorId }) => actorId));
    for (const member of actors) {
      if (known.has(member.actorId)) continue;
      const { state, role, certificate } = await member.info();
      if (state !== "dead" || closed()) continue;
      const reason = certificate?.reason ?? "its death certificate is not known";
      abort.abort(
        new PalimpsestError(
          "ACTOR_DIED",
          `${role} ${member.actorId} died and will not be restarted: ${reason}; repeat the command with the same run folder to resume from the last step`,
          { details: { actorId: member.actorId } },
        ),
      );
    }
  });
  return { signal: abort.signal, close: watch.close };
}

/** @throws {PalimpsestError} ACTOR_DIED as soon as an actor of the run has permanently died */
export async function whileRunActorsLive<T>(
  cluster: Cluster,
  { learner, rollouts, rewards }: RunActors,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const watch = watchRunActors(cluster, [learner, ...rollouts, ...rewards]);
  try {
    return await withDeadline({ signals: [signal, watch.signal] }, work);
  } catch (reason) {
    throw watch.signal.aborted ? watch.signal.reason : reason;
  } finally {
    watch.close();
  }
}

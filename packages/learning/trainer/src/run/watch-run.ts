import type { Cluster } from "@palimpsest/client";
import type { RunQueues } from "@palimpsest/trajectories";
import type { QueueDepth, TrainListener } from "../records/event.js";

const intervalMs = 1_000;

/** Reports queue depths and restarts of actors to the listener, until closed. */
export function watchRun(cluster: Cluster, queues: RunQueues, onEvent: TrainListener): { close(): void } {
  const incarnations = new Map<string, number>();
  return lookOften(async (closed) => {
    const depths = await cluster.queues();
    const mine: QueueDepth[] = depths
      .filter((depth) => depth.name.includes(queues.runId))
      .map((depth) => ({ ...depth, name: depth.name.split(/[:/]/).at(-1) ?? depth.name }));
    if (closed()) return;
    onEvent({ kind: "queues", queues: mine });
    for (const actor of await cluster.actors()) {
      const before = incarnations.get(actor.actorId) ?? 0;
      // Incarnation 1 is the first start, not a restart.
      if (before > 0 && actor.incarnation > before && !closed()) {
        onEvent({
          kind: "notice",
          text: `${actor.role} (${actor.actorId}) was restarted as incarnation ${actor.incarnation}: ${actor.certificate?.reason ?? "died"}`,
        });
      }
      incarnations.set(actor.actorId, actor.incarnation);
    }
  });
}

/** Polls every second, with one poll at a time, until closed. */
export function lookOften(look: (closed: () => boolean) => Promise<void>): { close(): void } {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  async function loop(): Promise<void> {
    // A head that is restarting answers the next poll.
    await look(() => closed).catch(() => undefined);
    if (!closed) timer = setTimeout(() => void loop(), intervalMs);
  }
  void loop();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

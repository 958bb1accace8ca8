import type { Cluster } from "@palimpsest/client";
import type { RunQueues } from "@palimpsest/trajectories";
import type { QueueDepth, TrainListener } from "./event.js";

const intervalMs = 1_000;

/** Tells the listener of queue depths and of actors that died and came back, until closed. */
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
      // From 0 to 1 it starts for the first time.
      if (before > 0 && actor.incarnation > before && !closed()) {
        onEvent({
          kind: "notice",
          text: `${actor.role} (${actor.actorId}) came back as process ${actor.incarnation}: ${actor.certificate?.reason ?? "died"}`,
        });
      }
      incarnations.set(actor.actorId, actor.incarnation);
    }
  });
}

/** Looks every second, one look at a time, until closed. */
export function lookOften(look: (closed: () => boolean) => Promise<void>): { close(): void } {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  async function loop(): Promise<void> {
    // A head that is restarting answers the next look.
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

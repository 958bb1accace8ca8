import * as proto from "@palimpsest/wire/protocol";
import type { World } from "./world.js";

/** The reason of an actor's last end as the head knows it: certificates have their own rows. */
export function lastReasonOf(world: World, actorId: string): string {
  return world.head?.plane?.actors.get(actorId)?.certificate?.reason ?? "";
}

/** ACTOR-9: actors that shared a process with the one that ended it come back without using up a restart. */
export function checkLightRow(
  world: World,
  actorId: string,
  before: proto.ActorInfo | undefined,
  now: proto.ActorInfo,
): void {
  const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;
  const limit = world.records.actors.get(actorId)?.options.maxRestarts ?? 0;
  if (before?.state !== ACTOR_STATE_ALIVE || limit === 0) return;
  const reason = lastReasonOf(world, actorId);
  if (!reason.includes("ended the process that both shared")) return;
  const isDead = now.state === ACTOR_STATE_DEAD;
  if (isDead || now.restarts > before.restarts)
    world.records.violation("ACTOR-9", `${actorId} ${isDead ? "is dead" : "lost a restart"}: ${reason}`);
}

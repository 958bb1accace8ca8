import * as proto from "@palimpsest/wire/protocol";
import type { World } from "./world.js";

/** Why an actor ended last, as the head knows: certificates have rows of their own. */
export function lastReasonOf(world: World, actorId: string): string {
  return world.head?.plane?.actors.get(actorId)?.certificate?.reason ?? "";
}

/** ACTOR-9: who shared a process with the actor that ended it comes back, and that costs it no restart. */
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

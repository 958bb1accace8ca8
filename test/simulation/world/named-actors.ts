import { decodeValue } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { PlannedActor } from "./records.js";
import type { ActorPlan } from "./sim-actor.js";
import type { World } from "./world.js";

/**
 * NAMED-1, NAMED-2: a request for a named actor gets an actor that matches the request, whether the request created it
 * or not.
 */
export function gotOrCreated(world: World, planned: PlannedActor): void {
  const { actorId, options, plan, sessionId } = planned;
  const row = world.redis.rows("specs").get(actorId);
  if (row === undefined) {
    if (world.redis.losses === planned.lossesBefore)
      world.records.violation("JOURNAL-2", `${actorId} was acknowledged and is not in the store`);
    return;
  }
  const spec = proto.ActorSpec.decode(row);
  const wanted = options.resources?.["cpu"];
  const cpu = spec.resources?.quantities?.["cpu"];
  if (spec.name !== options.name)
    world.records.violation("NAMED-1", `${actorId} has the name ${spec.name}, wanted was ${options.name}`);
  if (cpu !== wanted)
    world.records.violation(
      "NAMED-2",
      `${options.name} is ${actorId} with ${cpu} cpus, wanted were ${wanted}`,
    );
  if (isPlanned(spec, plan, sessionId)) world.records.spawned(planned);
  else world.records.resolved(spec.name, actorId);
}

/** Returns whether this request created the actor. The arguments of a dead actor are gone. */
function isPlanned({ args, ownerId }: proto.ActorSpec, plan: ActorPlan, sessionId: string): boolean {
  if (ownerId !== sessionId || args.byteLength === 0) return false;
  const [given] = decodeValue(args) as [ActorPlan];
  return given.key === plan.key;
}

/** What the head says of a worker for tasks, and the error that its end is to its tasks. */
import { errorFromProto, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "./actor-resolver.js";
import { certificateDetails } from "./death.js";

/** As ActorResolver.resolve; undefined when the head cannot be asked now. */
export async function workerNews(
  resolver: ActorResolver,
  actorId: string,
  knownIncarnation: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<proto.ActorInfo.$Properties | undefined> {
  try {
    return await resolver.resolve(actorId, knownIncarnation, waitMs, signal);
  } catch (reason) {
    const { code, message } = PalimpsestError.from(reason);
    if (code !== "NOT_FOUND") return undefined;
    // It died so long ago that the head has forgotten it, or the head has lost it: nobody knows what has run.
    const state = proto.ActorState.ACTOR_STATE_DEAD;
    return { spec: { actorId }, state, certificate: { reason: message } };
  }
}

/** WORKER_DIED with the certificate in its details; the cause is what its module threw, when it did. */
export function workerDied(
  actorId: string,
  info: proto.ActorInfo.$Properties | undefined,
  cause: PalimpsestError | undefined,
): PalimpsestError {
  const why = info?.certificate?.reason || cause?.rawMessage || "its stream broke";
  return new PalimpsestError("WORKER_DIED", `its worker ${actorId} went away: ${why}`, {
    details: info ? certificateDetails(info) : { actorId },
    cause: info?.constructorError ? errorFromProto(info.constructorError) : cause,
  });
}

/** The head's reports about a worker for tasks, and the error with which its tasks end. */
import { errorFromProto, lastWords, located, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "../base/actor-resolver.js";
import { certificateDetails } from "../base/death.js";

/** Asks the head about the worker as ActorResolver.resolve does; undefined if the head cannot be asked now. */
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
    // It died so long ago that the head has forgotten it, or the head has lost it, so it is unknown what has run.
    const state = proto.ActorState.ACTOR_STATE_DEAD;
    return { spec: { actorId }, state, certificate: { reason: message } };
  }
}

/**
 * Returns WORKER_DIED with the certificate in its details; its cause is the error that the worker's module threw, if
 * it did.
 */
export function workerDied(
  actorId: string,
  info: proto.ActorInfo.$Properties | undefined,
  cause: PalimpsestError | undefined,
): PalimpsestError {
  const why = located(info?.certificate?.reason || cause?.rawMessage || "its stream broke");
  const words = info?.constructorError ? "" : located(lastWords(info?.certificate?.lastStderrLines ?? []));
  const last = words === "" ? "" : `; its last words: ${words}`;
  return new PalimpsestError("WORKER_DIED", `its worker ${actorId} went away: ${why}${last}`, {
    details: info ? certificateDetails(info) : { actorId },
    cause: info?.constructorError ? errorFromProto(info.constructorError) : cause,
  });
}

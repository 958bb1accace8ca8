import type * as proto from "@palimpsest/wire/protocol";

/** The part of the head's service that a channel needs. */
export interface ActorResolver {
  /** Finds the actor as the head's call ResolveActor does. */
  resolve(
    actorId: string,
    knownIncarnation: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<proto.ActorInfo.$Properties>;
}

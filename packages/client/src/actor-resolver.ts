import type * as proto from "@palimpsest/wire/protocol";

/** The head, as far as a channel needs it. */
export interface ActorResolver {
  /** As Head.ResolveActor. */
  resolve(
    actorId: string,
    knownIncarnation: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<proto.ActorInfo.$Properties>;
}

/**
 * Responsibility: the actors of this process that answer calls, by id, and the streams on which any of them may be
 * called.
 * Not responsible for: one actor's calls (actor-host.ts).
 */
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Called, Caller } from "../calls/caller.js";

/** An actor that can be called on a stream that is shared with others. */
interface Hosted extends Called {
  readonly actorId: string;
  readonly incarnation: number;
  take(caller: Caller, call: proto.Call.$Properties): void;
}

/** The actors of one process, even if it hosts only one. */
export class HostedActors {
  readonly #hosts = new Map<string, Hosted>();
  readonly #callers = new Set<Caller>();

  add(host: Hosted): void {
    this.#hosts.set(host.actorId, host);
  }

  delete(host: Hosted): void {
    if (this.#hosts.get(host.actorId) === host) this.#hosts.delete(host.actorId);
  }

  find({ actorId, incarnation }: proto.MeshMember.$Properties): Hosted | undefined {
    const host = this.#hosts.get(actorId ?? "");
    return host?.incarnation === incarnation ? host : undefined;
  }

  /** Records a stream on which any of them may be called. */
  called(caller: Caller): void {
    this.#callers.add(caller);
  }

  callerLeft(caller: Caller): void {
    this.#callers.delete(caller);
  }

  /** Records that the actor no longer answers. */
  left(host: Hosted): void {
    for (const caller of this.#callers) caller.hasLeft(host);
  }
}

/** Returns the error for an actor that is not in this process, which means that the call has not run. */
export function absent({
  actorId,
  incarnation,
}: Pick<proto.MeshMember.$Properties, "actorId" | "incarnation">): PalimpsestError {
  return new PalimpsestError(
    "ACTOR_UNAVAILABLE",
    `incarnation ${incarnation} of ${actorId} is not in this process; resolve the actor again`,
    { details: { actorId: actorId ?? "", incarnation: incarnation ?? 0, reached: "false" } },
  );
}

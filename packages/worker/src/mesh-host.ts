/**
 * Responsibility: calls to several actors of this process at once: one message is dealt out to them, and what they answer
 * in one turn of the event loop goes back in one message.
 * Not responsible for: one actor's calls (actor-host.ts).
 *
 * Invariants:
 * - MESHHOST-1. Each member of a mesh call is answered once, as if it had been called by itself: one that is not here, or as
 *   another incarnation, with ACTOR_UNAVAILABLE, and it has run nothing.
 */
import { errorToProto, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { Caller, type CallerStream } from "./caller.js";

/** An actor that may be a member of a mesh. */
interface Hosted {
  readonly actorId: string;
  readonly incarnation: number;
  take(caller: Caller, call: proto.Call.$Properties): void;
}

/** The actors of this process that answer calls, by their ids. */
class HostedActors {
  readonly #hosts = new Map<string, Hosted>();

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
}

export const hostedActors = new HostedActors();

export function serveMesh(stream: CallerStream): void {
  const caller = new Caller(stream, {
    isMesh: true,
    take: ({ meshCall }) => {
      if (meshCall) dealOut(caller, meshCall);
    },
    onLeft: () => undefined,
  });
}

function dealOut(caller: Caller, { call, members }: proto.MeshCall.$Properties): void {
  const firstId = call?.callId ?? 0;
  for (const [index, member] of (members ?? []).entries()) {
    const callId = firstId + index;
    const host = hostedActors.find(member);
    if (host) host.take(caller, { ...call, callId });
    else caller.reply({ callId, error: errorToProto(absent(member)) });
  }
}

/** What a member that has run nothing is answered with. */
export function absent({ actorId, incarnation }: proto.MeshMember.$Properties): PalimpsestError {
  return new PalimpsestError(
    "ACTOR_UNAVAILABLE",
    `incarnation ${incarnation} of ${actorId} does not live here; resolve the actor again`,
    { details: { actorId: actorId ?? "", incarnation: String(incarnation), reached: "false" } },
  );
}

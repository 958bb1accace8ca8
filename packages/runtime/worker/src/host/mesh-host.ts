/**
 * Responsibility: calls to several actors of this process at once: one message is distributed to them, and their
 * answers of one turn of the event loop are returned in one message.
 * Not responsible for: one actor's calls (actor-host.ts).
 *
 * Invariants:
 * - MESHHOST-1. Each member of a mesh call is answered once, as if it had been called alone. A member that is not in
 *   this process, or has another incarnation, is answered with ACTOR_UNAVAILABLE and has run nothing.
 */
import { errorToProto } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { Caller, type CallerStream } from "../calls/caller.js";
import { absent, type HostedActors } from "./hosted-actors.js";

export function serveMesh(hosted: HostedActors, stream: CallerStream): void {
  const caller = new Caller(stream, {
    kind: "mesh",
    take: ({ meshCall }) => {
      if (meshCall) dealOut(hosted, caller, meshCall);
    },
    onLeft: () => hosted.callerLeft(caller),
  });
  hosted.called(caller);
}

function dealOut(hosted: HostedActors, caller: Caller, { call, members }: proto.MeshCall.$Properties): void {
  const firstId = call?.callId ?? 0;
  for (const [index, member] of (members ?? []).entries()) {
    const callId = firstId + index;
    const host = hosted.find(member);
    if (host) host.take(caller, { ...call, callId, traceparent: member.traceparent ?? "" });
    else caller.reply({ callId, error: errorToProto(absent(member)) });
  }
}

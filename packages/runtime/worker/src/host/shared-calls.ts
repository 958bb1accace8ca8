/**
 * Responsibility: one stream of a program for its calls to all light actors of this process.
 * Not responsible for: one actor's calls (actor-host.ts), or the program's side (client/calls/shared-streams.ts).
 *
 * Invariants:
 * - SHAREDCALLS-1. A call to an actor that is not in this process, or has another incarnation, is answered accordingly
 *   and has run nothing. When an actor with calls ends, the stream reports that it has left, after all of its replies.
 */
import { errorToProto } from "@palimpsest/wire";
import { Caller, type CallerStream } from "../calls/caller.js";
import { absent, type HostedActors } from "./hosted-actors.js";

export function serveShared(hosted: HostedActors, stream: CallerStream): void {
  const caller = new Caller(stream, {
    kind: "shared",
    take: ({ call }) => {
      if (!call) return;
      const to = call.to ?? {};
      const host = hosted.find(to);
      if (host) host.take(caller, call);
      else caller.reply({ callId: call.callId ?? 0, error: errorToProto(absent(to)) });
    },
    onLeft: () => hosted.callerLeft(caller),
  });
  hosted.called(caller);
}

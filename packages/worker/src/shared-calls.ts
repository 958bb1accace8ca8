/**
 * Responsibility: one stream of a program for its calls to all light actors of this process.
 * Not responsible for: one actor's calls (actor-host.ts), what the program makes of them (client/shared-streams.ts).
 *
 * Invariants:
 * - SHAREDCALLS-1. A call to an actor that is not here, or as another incarnation, is answered so and has run nothing. Of
 *   one that ends while it has calls the stream tells that it has left, after all replies of it.
 */
import { errorToProto } from "@palimpsest/wire";
import { Caller, type CallerStream } from "./caller.js";
import { absent, hostedActors } from "./hosted-actors.js";

export function serveShared(stream: CallerStream): void {
  const caller = new Caller(stream, {
    kind: "shared",
    take: ({ call }) => {
      if (!call) return;
      const to = call.to ?? {};
      const host = hostedActors.find(to);
      if (host) host.take(caller, call);
      else caller.reply({ callId: call.callId ?? 0, error: errorToProto(absent(to)) });
    },
    onLeft: () => hostedActors.callerLeft(caller),
  });
  hostedActors.called(caller);
}

import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { actorTitle, certificateDetails } from "../base/death.js";
import type { PendingCall } from "./pending-call.js";

/** Calls that were in flight when their stream broke, until the first report about their actor decides about them. */
export class InFlightCalls {
  readonly #actorId: string;
  #calls: PendingCall[] = [];

  constructor(actorId: string) {
    this.#actorId = actorId;
  }

  add(calls: readonly PendingCall[]): void {
    this.#calls = this.#calls.concat(calls);
  }

  fail(error: PalimpsestError): void {
    for (const call of this.#calls.splice(0)) call.fail(error);
  }

  /** Fails the calls that must not run twice and returns those to send again (CHANNEL-2, CHANNEL-3). */
  decide(
    info: proto.ActorInfo.$Properties | undefined,
    cause: PalimpsestError | undefined,
  ): readonly PendingCall[] {
    const again: PendingCall[] = [];
    for (const call of this.#calls.splice(0)) {
      if (call.settled) continue;
      if (call.retriesLeft > 0 && !call.started) {
        call.retriesLeft--;
        call.callId = 0;
        again.push(call);
        continue;
      }
      const title = info ? actorTitle(info) : this.#actorId;
      const reason = info?.certificate?.reason || (cause?.message ?? "its stream broke");
      call.fail(
        new PalimpsestError(
          "ACTOR_UNAVAILABLE",
          `${title} went away while ${call.method} was in flight (${reason}); the call may or may not have run`,
          { details: info ? certificateDetails(info) : { actorId: this.#actorId }, cause },
        ),
      );
    }
    return again;
  }
}

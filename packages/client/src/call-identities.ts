import { type Clock, newId, OldestFirstMap } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { PendingCall } from "./pending-call.js";

interface Sent {
  readonly sequence: number;
  readonly atMs: number;
}

/**
 * What calls to a durable actor are known by, whatever stream they are sent on: a number that they keep when they are sent
 * again, and up to which number this caller has all outcomes.
 */
export class CallIdentities {
  readonly #clock: Clock;
  readonly #caller = newId("caller");
  /** Calls without an outcome, in the order of their numbers. */
  readonly #sent = new OldestFirstMap<PendingCall, Sent>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(call: PendingCall): proto.CallIdentity.$Properties {
    const nowMs = this.#clock.monotonicMs();
    let sent = this.#sent.get(call);
    if (sent === undefined) {
      this.#last += 1;
      sent = { sequence: this.#last, atMs: nowMs };
      this.#sent.set(call, sent);
    }
    const oldest = this.#sent.get(this.#sent.oldest ?? call);
    return {
      caller: this.#caller,
      sequence: sent.sequence,
      acknowledged: (oldest ?? sent).sequence - 1,
      ageMs: Math.round(nowMs - sent.atMs),
    };
  }

  settled(call: PendingCall): void {
    this.#sent.delete(call);
  }
}

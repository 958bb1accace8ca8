import type { Clock } from "@palimpsest/std";
import { newId, OldestFirstMap } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { PendingCall } from "./pending-call.js";

interface Sent {
  readonly sequence: number;
  readonly atMs: number;
}

/**
 * Identifies calls to a durable actor independently of the stream on which they are sent: each call has a number that
 * it keeps when it is sent again, and carries the number up to which this caller has all outcomes.
 */
export class CallIdentities {
  readonly #clock: Clock;
  readonly #caller = newId("caller");
  /** Numbers of the calls that have no outcome yet, in order. */
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

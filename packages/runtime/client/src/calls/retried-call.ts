/** A call that is also retried after its method threw, like with Ray's `retry_exceptions`. */
import { errorFromProto } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { type CallCarrier, PendingCall, type PendingCallOptions } from "./pending-call.js";

export interface ActorCallOptions extends PendingCallOptions {
  /** Default false. */
  readonly retryExceptions?: boolean;
}

export interface RetryCarrier extends CallCarrier {
  /** Called when it is to run again from the start, after calls that were sent in the meantime. */
  again(call: PendingCall): void;
}

export class RetriedCall extends PendingCall {
  readonly #carrier: RetryCarrier;

  constructor(options: ActorCallOptions, carrier: RetryCarrier) {
    super(options, carrier);
    this.#carrier = carrier;
  }

  /** CHANNEL-8 */
  override answer(reply: proto.Reply.$Properties): void {
    const threw = reply.error != null && errorFromProto(reply.error).code === "ACTOR_ERROR";
    if (!threw || this.settled || this.started || this.retriesLeft <= 0) {
      super.answer(reply);
      return;
    }
    this.retriesLeft--;
    this.#carrier.again(this);
  }
}

import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { type CallCarrier, PendingCall, type PendingCallOptions } from "../calls/pending-call.js";
import type { MeshProcess } from "./mesh-process.js";

/** The outcome of the call to one member of a mesh: a value or an error. */
export type MeshOutcome =
  | { readonly status: "ok"; readonly value: unknown }
  | { readonly status: "failed"; readonly error: PalimpsestError };

export interface MeshCarrier extends CallCarrier {
  /** Called when the process does not host the member, or not this incarnation of it, so that the call has not run. */
  notThere(call: MeshMemberCall): void;
}

/** The call to one member of a mesh. */
export class MeshMemberCall extends PendingCall {
  readonly actorId: string;
  /** The process to which it was sent. */
  incarnation = 0;
  process: MeshProcess | undefined;
  readonly #carrier: MeshCarrier;

  constructor(actorId: string, options: PendingCallOptions, carrier: MeshCarrier) {
    super(options, carrier);
    this.actorId = actorId;
    this.#carrier = carrier;
  }

  override answer(reply: proto.Reply.$Properties): void {
    const { code, details } = reply.error ?? {};
    if (code === "ACTOR_UNAVAILABLE" && details?.["reached"] === "false") this.#carrier.notThere(this);
    else if (reply.end) this.fail(this.#streams());
    else super.answer(reply);
  }

  /** Called with the first item of a generator, which is then ended. */
  override push(): void {
    this.cancel(this.#streams());
  }

  /** Resolves to the outcome as a value; never rejects. */
  async outcome(): Promise<MeshOutcome> {
    try {
      return { status: "ok", value: await this.promise };
    } catch (reason) {
      return { status: "failed", error: PalimpsestError.from(reason) };
    }
  }

  #streams(): PalimpsestError {
    return new PalimpsestError(
      "INVALID_ARGUMENT",
      `${this.method} is a generator, whose items a call of a mesh cannot return: call it on the handle of one member`,
    );
  }
}

/**
 * Responsibility: the stream to one process that hosts members of meshes, opened on demand and again after a break.
 * Not responsible for: which process hosts a member (mesh-calls.ts).
 */
import type { Clock } from "@palimpsest/std";
import { type Network, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { CallStream } from "../calls/call-stream.js";
import type { PendingCall } from "../calls/pending-call.js";

export interface MeshProcessOptions {
  /** host:port of its ActorHost service. */
  readonly address: string;
  readonly network: Network;
  readonly clock: Clock;
  /**
   * Called with the calls that were not answered when the stream broke. They may have run, unless the stream was
   * never opened.
   */
  readonly onBreak: (unanswered: readonly PendingCall[], error: PalimpsestError, opened: boolean) => void;
}

export class MeshProcess {
  readonly #options: MeshProcessOptions;
  #stream: CallStream | undefined;
  #opening: Promise<CallStream> | undefined;

  constructor(options: MeshProcessOptions) {
    this.#options = options;
  }

  /** Sends one message for all of them. */
  async send(
    calls: readonly PendingCall[],
    members: readonly proto.MeshMember.$Properties[],
    call: proto.Call.$Properties,
  ): Promise<void> {
    try {
      const stream = this.#stream ?? (await this.#open());
      // Calls that were given up in the meantime keep their position among the members, and are canceled.
      stream.sendMesh(calls, members, call);
      for (const one of calls) if (one.settled) stream.abandon(one);
    } catch (reason) {
      this.#options.onBreak(calls, PalimpsestError.from(reason), false);
    }
  }

  abandon(call: PendingCall): void {
    this.#stream?.abandon(call);
  }

  close(error: PalimpsestError): void {
    this.#stream?.close(error);
    void this.#opening?.then(
      (stream) => stream.close(error),
      () => undefined,
    );
  }

  #open(): Promise<CallStream> {
    this.#opening ??= this.#opened().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #opened(): Promise<CallStream> {
    const { stream, ready } = CallStream.open({
      ...{ ...this.#options, actorId: "", incarnation: 0, kind: "mesh" },
      onBreak: (error, unanswered) => {
        if (this.#stream === stream) this.#stream = undefined;
        if (unanswered.length > 0) this.#options.onBreak(unanswered, error, true);
      },
    });
    await ready;
    if (stream.broken) throw new PalimpsestError("ACTOR_UNAVAILABLE", "the process closed its stream");
    this.#stream = stream;
    return stream;
  }
}

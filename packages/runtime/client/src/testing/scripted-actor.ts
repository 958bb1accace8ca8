import { Metadata, type ServerDuplexStream } from "@grpc/grpc-js";
import {
  type Addressee,
  actorHostService,
  addresseeOf,
  decodeValue,
  encodeValue,
  grpcNetwork,
  type RpcServer,
  servePart,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

type CallerStream = ServerDuplexStream<proto.CallBatch.$Properties, proto.ReplyBatch.$Properties>;

/**
 * An actor that a test plays over real gRPC: it records batches, answers `echo`, and otherwise answers as the test
 * tells it.
 */
export class ScriptedActor {
  /** The actor and incarnation that each stream was opened for. */
  readonly addressees: Addressee[] = [];
  readonly batches: proto.CallBatch.$Properties[] = [];
  address = "";
  /** Methods that are not answered. */
  readonly silent = new Set<string>();
  #server: RpcServer | undefined;
  #isBusy = false;
  #streams = new Set<CallerStream>();
  #onBatch = new Set<() => void>();

  static async start(token: string): Promise<ScriptedActor> {
    const actor = new ScriptedActor();
    const server = grpcNetwork({ token }).createServer();
    servePart(server, actorHostService, { calls: (stream) => actor.#accept(stream) });
    actor.#server = server;
    actor.address = await server.listen("127.0.0.1", 0);
    return actor;
  }

  /** Methods in the order in which they arrived. */
  get methods(): string[] {
    return this.frames.flatMap((frame) => frame.call?.method ?? []);
  }

  get frames(): proto.CallFrame.$Properties[] {
    return this.batches.flatMap((batch) => batch.frames ?? []);
  }

  /** Returns the call that arrives at this index, counted from 0, and waits until it arrives. */
  async call(index: number): Promise<proto.Call.$Properties> {
    for (;;) {
      const call = this.frames.flatMap((frame) => frame.call ?? [])[index];
      if (call) return call;
      await new Promise<void>((resolve) => {
        this.#onBatch.add(resolve);
      });
    }
  }

  reply(reply: proto.Reply.$Properties): void {
    for (const stream of this.#streams) stream.write({ replies: [reply] });
  }

  /** Breaks the streams as a failure of the network does. The process keeps running. */
  cut(): void {
    for (const stream of this.#streams) stream.emit("error", new Error("the test cuts the stream"));
    this.#streams.clear();
  }

  /** Breaks the streams, and answers no other one, as a process that computes on. */
  stall(): void {
    this.#isBusy = true;
    this.cut();
  }

  /** Ends the server as the death of the process does. */
  kill(): void {
    this.#server?.kill();
  }

  #accept(stream: CallerStream): void {
    if (this.#isBusy) return;
    this.#streams.add(stream);
    this.addressees.push(addresseeOf(stream.metadata));
    stream.sendMetadata(new Metadata());
    stream.on("error", () => undefined);
    stream.on("data", (batch: proto.CallBatch.$Properties) => {
      this.batches.push(batch);
      for (const wake of this.#onBatch) wake();
      this.#onBatch.clear();
      for (const { call } of batch.frames ?? []) {
        if (!call || this.silent.has(call.method ?? "")) continue;
        const [value] = decodeValue(call.args ?? new Uint8Array()) as unknown[];
        stream.write({ replies: [{ callId: call.callId ?? 0, value: encodeValue(value) }] });
      }
    });
  }
}

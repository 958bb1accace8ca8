import { Duplex } from "node:stream";
import { systemClock } from "@palimpsest/std";
import { Deadlines, encodeValue, type Network, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { inlineValue } from "../values/outgoing-value.js";
import { CallStream } from "./call-stream.js";
import { type CallCarrier, PendingCall } from "./pending-call.js";

/** A transport of objects that takes a message only when the test says so. */
class Transport extends Duplex {
  readonly sent: proto.CallBatch.$Properties[] = [];
  #taken: () => void = () => undefined;

  constructor() {
    super({ objectMode: true, writableHighWaterMark: 1 });
  }

  override _read(): void {}

  override _write(batch: proto.CallBatch.$Properties, _encoding: string, taken: () => void): void {
    this.sent.push(batch);
    this.#taken = taken;
  }

  /** Takes the message that was written, and tells when there is room for another. */
  async drainOne(): Promise<void> {
    const room = new Promise((resolve) => this.once("drain", resolve));
    this.#taken();
    await room;
  }

  cancel(): void {}
}

const carrier: CallCarrier = {
  clock: systemClock,
  deadlines: new Deadlines(systemClock),
  settled: () => undefined,
  abandon: () => undefined,
  grant: () => undefined,
  prepared: () => undefined,
};

function call(method: string): PendingCall {
  const args = inlineValue(encodeValue([]));
  const made = new PendingCall({ method, args, timeoutMs: 600_000, signals: [], retries: 0 }, carrier);
  made.promise.catch(() => undefined);
  return made;
}

function open() {
  const transport = new Transport();
  const breaks: { error: PalimpsestError; methods: string[] }[] = [];
  const peer = { address: "actor:1", bidi: () => transport, close: () => undefined } as unknown as Peer;
  const network = { connect: () => peer } as unknown as Network;
  const { stream } = CallStream.open({
    ...{ address: "actor:1", network, clock: systemClock, actorId: "actor-test", incarnation: 1 },
    onBreak: (error, unanswered) => breaks.push({ error, methods: unanswered.map(({ method }) => method) }),
  });
  transport.emit("metadata");
  const methods = () =>
    transport.sent.map(({ frames }) => (frames ?? []).map((frame) => frame.call?.method ?? ""));
  return { transport, stream, breaks, methods };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("while the transport is full nothing is written, and frames wait in order (STREAM-3)", async () => {
  const { transport, stream, methods } = open();
  stream.send(call("first"));
  await turn();
  for (const method of ["second", "third", "fourth"]) {
    stream.send(call(method));
    await turn();
  }
  expect(methods()).toEqual([["first"]]);
  expect(transport.writableLength).toBe(1);
  await transport.drainOne();
  expect(methods()).toEqual([["first"], ["second", "third", "fourth"]]);
  stream.close(new PalimpsestError("CANCELLED", "the test is over"));
});

test("a break hands back each call without an outcome once, and nothing settles after it (STREAM-5)", async () => {
  const { transport, stream, breaks } = open();
  const [answered, first, second] = [call("answered"), call("first"), call("second")];
  for (const sent of [answered, first, second]) stream.send(sent);
  transport.emit("data", { replies: [{ callId: answered.callId, value: encodeValue(1) }] });
  await expect(answered.promise).resolves.toBe(1);
  const error = new PalimpsestError("ACTOR_UNAVAILABLE", "it broke");
  stream.close(error);
  stream.close(new PalimpsestError("ACTOR_UNAVAILABLE", "it broke again"));
  transport.emit("end");
  transport.emit("data", { replies: [{ callId: first.callId, value: encodeValue(2) }] });
  expect(breaks).toEqual([{ error, methods: ["first", "second"] }]);
  expect([first.settled, second.settled, stream.broken]).toEqual([false, false, true]);
});

test("what a reply refers to counts as being taken before its call is answered (STREAM-6)", async () => {
  const { transport, stream } = open();
  const taking: boolean[] = [];
  class Asking extends PendingCall {
    override answer(reply: proto.Reply.$Properties): void {
      taking.push(stream.taking !== undefined);
      super.answer(reply);
    }
  }
  const args = inlineValue(encodeValue([]));
  const asking = new Asking({ method: "ask", args, timeoutMs: 600_000, signals: [], retries: 0 }, carrier);
  stream.send(asking);
  transport.emit("data", { replies: [{ callId: asking.callId, value: encodeValue(1), taking: true }] });
  await expect(asking.promise).resolves.toBe(1);
  expect(taking).toEqual([true]);
  await stream.taking;
  expect(stream.taking).toBeUndefined();
  stream.close(new PalimpsestError("CANCELLED", "the test is over"));
});

import { Duplex } from "node:stream";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { ReplyWriter } from "./reply-writer.js";

const mebibyte = 1024 * 1024;

/** A caller's transport, which takes a message only when the test says so. */
class Transport extends Duplex {
  readonly sent: proto.ReplyBatch.$Properties[] = [];
  #taken: () => void = () => undefined;

  constructor() {
    super({ objectMode: true, writableHighWaterMark: 1 });
    this.resume();
  }

  override _read(): void {}

  override _write(batch: proto.ReplyBatch.$Properties, _encoding: string, taken: () => void): void {
    this.sent.push(batch);
    this.#taken = taken;
  }

  async drainOne(): Promise<void> {
    const room = new Promise((resolve) => this.once("drain", resolve));
    this.#taken();
    await room;
  }
}

function writer() {
  const transport = new Transport();
  const behind: boolean[] = [];
  const made = new ReplyWriter(transport as unknown as ConstructorParameters<typeof ReplyWriter>[0], (is) => {
    behind.push(is);
  });
  const batches = () => transport.sent.map(({ replies }) => (replies ?? []).map(({ callId }) => callId));
  const post = (callId: number, sizeBytes = 0) => made.post({ callId, value: new Uint8Array(sizeBytes) });
  return { transport, behind, batches, post };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("replies of one turn leave in one message, in their order (REPLIES-1, REPLIES-2)", async () => {
  const { batches, post } = writer();
  const callIds = Array.from({ length: 100 }, (_, index) => index + 1);
  for (const callId of callIds) post(callId);
  await turn();
  expect(batches()).toEqual([callIds]);
});

test("replies of one turn are divided where they exceed a message, in their order (REPLIES-1, REPLIES-2)", async () => {
  const { transport, batches, post } = writer();
  for (const callId of [1, 2, 3, 4]) post(callId, 0.4 * mebibyte);
  await turn();
  await transport.drainOne();
  expect(batches()).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test("a caller that reads nothing gets nothing more, and is not read above the bound until it has caught up (REPLIES-3)", async () => {
  const { transport, behind, batches, post } = writer();
  post(0);
  await turn();
  for (const callId of [1, 2, 3, 4]) post(callId, 0.9 * mebibyte);
  await turn();
  expect(batches()).toEqual([[0]]);
  expect([behind, transport.isPaused()]).toEqual([[], false]);
  post(5, 0.9 * mebibyte);
  expect([behind, transport.isPaused()]).toEqual([[true], true]);
  for (let taken = 0; taken < 5; taken++) await transport.drainOne();
  expect([behind, transport.isPaused()]).toEqual([[true, false], false]);
  expect(batches().flat()).toEqual([0, 1, 2, 3, 4, 5]);
});

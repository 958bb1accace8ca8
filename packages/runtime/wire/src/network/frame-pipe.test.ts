import { Duplex, PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FramePipe } from "./frame-pipe.js";

function pipe() {
  const arriving = new PassThrough();
  const written: Buffer[] = [];
  const stream = Duplex.from({
    readable: arriving,
    writable: new PassThrough().on("data", (c) => written.push(c)),
  });
  const frames: Buffer[] = [];
  const news: string[] = [];
  const made = new FramePipe(stream, {
    onFrame: (frame) => frames.push(Buffer.from(frame)),
    onGarbage: (why) => news.push(why),
    onClosed: () => news.push("closed"),
  });
  return { made, arriving, written, frames, news };
}

function framed(message: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(message.byteLength);
  return Buffer.concat([length, message]);
}

test("messages arrive whole and in order, however the bytes are cut (FRAMEPIPE-1)", async () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(messages, fc.infiniteStream(fc.integer({ min: 1, max: 30 })), async (sent, cuts) => {
      const { arriving, frames } = pipe();
      let bytes = Buffer.concat(sent.map(framed));
      while (bytes.byteLength > 0) {
        const at = cuts.next().value;
        arriving.write(bytes.subarray(0, at));
        bytes = bytes.subarray(at);
      }
      await expect.poll(() => frames.length).toBe(sent.length);
      expect(frames.map((frame) => [...frame])).toEqual(sent.map((one) => [...one]));
    }),
    { numRuns: 20 },
  );
});

test("what is sent is framed, and a closed stream takes nothing", async () => {
  const { made, arriving, written, news } = pipe();
  await new Promise<void>((resolve) => made.send(Buffer.from("abc"), resolve));
  await expect.poll(() => Buffer.concat(written).toString("latin1")).toBe("\u0003\0\0\0abc");
  arriving.destroy();
  await expect.poll(() => news).toEqual(["closed"]);
  await new Promise<void>((resolve) => made.send(Buffer.from("late"), resolve));
});

test("a length that no message has is reported once, and nothing after it is read (FRAMEPIPE-1)", async () => {
  const { arriving, frames, news } = pipe();
  arriving.write(
    Buffer.concat([framed(Buffer.from("good")), Buffer.from("ready\n"), Buffer.from("again\n")]),
  );
  arriving.write(framed(Buffer.from("late")));
  await expect.poll(() => news.length).toBe(1);
  expect(news[0]).toContain("is announced");
  expect(frames.map(String)).toEqual(["good"]);
});

import { Duplex } from "node:stream";
import { Metadata, status } from "@grpc/grpc-js";
import type { Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { quiet } from "../testing/fixture.js";
import { StandingClock } from "../testing/standing-clock.js";
import { DriverLog } from "./driver-log.js";
import { OutputStream } from "./output-stream.js";

/** A head's end of one stream, which takes a message only when the test says so. */
class Transport extends Duplex {
  readonly sent: proto.DriverOutput.$Properties[] = [];
  #taken: () => void = () => undefined;

  constructor() {
    super({ objectMode: true, writableHighWaterMark: 2 });
  }

  override _read(): void {}

  override _write(message: proto.DriverOutput.$Properties, _encoding: string, taken: () => void): void {
    this.sent.push(message);
    this.#taken = taken;
  }

  /** Takes the message that was written last. */
  async accept(): Promise<void> {
    this.#taken();
    await turn();
  }

  cancel(): void {}
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
/** As a client sees what a head answered. */
function grpcError(code: status) {
  return Object.assign(new Error("the head says so"), { code, details: "", metadata: new Metadata() });
}

const partBytes = 256 * 1024;

function output() {
  const transports: Transport[] = [];
  const clock = new StandingClock();
  const log = new DriverLog(() => undefined);
  const bidi = () => {
    const transport = new Transport();
    transports.push(transport);
    return transport;
  };
  const stream = new OutputStream({
    ...{ jobId: "job-1", nodeId: "node-1", log, clock, logger: quiet },
    head: () => ({ bidi }) as unknown as Peer,
    onProgress: () => undefined,
  });
  const append = (text: string) => {
    log.append(Buffer.from(text));
    stream.push();
  };
  const offsets = ({ sent }: Transport) =>
    sent.filter(({ data }) => data).map(({ offsetBytes }) => offsetBytes);
  return { transports, clock, log, stream, append, offsets };
}

test("output is sent from the byte that the head names, and not before it has (OUTPUT-STREAM-1)", async () => {
  const { transports, stream, append } = output();
  append("abcdef");
  const [transport] = transports;
  await transport?.accept();
  expect(transport?.sent).toEqual([{ jobId: "job-1", nodeId: "node-1" }]);
  transport?.emit("data", { jobId: "job-1", offsetBytes: 2 });
  await turn();
  expect(transport?.sent.slice(1)).toEqual([{ jobId: "job-1", data: Buffer.from("cdef"), offsetBytes: 2 }]);
  stream.close();
});

test("no more is written than the stream takes (OUTPUT-STREAM-2)", async () => {
  const { transports, stream, append, offsets } = output();
  append("x".repeat(8 * partBytes));
  const transport = transports[0] ?? new Transport();
  await transport.accept();
  transport.emit("data", { offsetBytes: 0 });
  // One part is under way and one waits in the stream, which is full.
  expect(transport.writableLength).toBe(2);
  for (let taken = 1; taken <= 8; taken++) {
    expect(offsets(transport)).toEqual(Array.from({ length: taken }, (_, index) => index * partBytes));
    expect(transport.writableLength).toBeLessThanOrEqual(2);
    await transport.accept();
  }
  stream.close();
});

test("a break is followed by another try, until the head does not want the output (OUTPUT-STREAM-3)", async () => {
  const { transports, clock, log, append, offsets } = output();
  append("abcdef");
  for (let tries = 1; tries <= 3; tries++) {
    expect(transports).toHaveLength(tries);
    const transport = transports.at(-1) ?? new Transport();
    await transport.accept();
    transport.emit("data", { offsetBytes: tries });
    await transport.accept();
    expect(offsets(transport)).toEqual([tries]);
    transport.emit("error", grpcError(status.UNAVAILABLE));
    clock.advance(5_000);
  }
  transports.at(-1)?.emit("error", grpcError(status.NOT_FOUND));
  clock.advance(1_000_000);
  append("more");
  expect(transports).toHaveLength(4);
  expect(log.acknowledged).toBe(true);
});

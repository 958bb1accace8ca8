import type { ServerWritableStream } from "@grpc/grpc-js";
import { type Clock, PalimpsestError } from "@palimpsest/wire";

const stallMs = 30_000;

/**
 * Settles when the connection has taken the message over, or its reader is gone. What write() returns does not tell: the
 * stream itself keeps messages by number, however large they are.
 * @throws {PalimpsestError} GET_TIMEOUT when nothing was read for stallMs (SERVE-2)
 */
export function handOver<Message>(
  call: ServerWritableStream<unknown, Message>,
  message: Message,
  clock: Clock,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      cancelStall();
      call.off("cancelled", done);
    };
    const done = () => {
      leave();
      resolve();
    };
    const cancelStall = clock.after(stallMs, () => {
      leave();
      reject(new PalimpsestError("GET_TIMEOUT", `the reader took nothing for ${stallMs} ms: it is cut off`));
    });
    call.on("cancelled", done);
    if (call.cancelled) done();
    else call.write(message, done);
  });
}

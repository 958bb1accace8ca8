import type { ServerWritableStream } from "@grpc/grpc-js";
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";

const stallMs = 30_000;

/**
 * Resolves when the connection has taken the message, or its reader is gone. The return value of write() does not tell
 * this, because the stream counts messages instead of bytes.
 * @throws {PalimpsestError} GET_TIMEOUT if nothing was read for stallMs (SERVE-2)
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
      reject(
        new PalimpsestError("GET_TIMEOUT", `the reader took nothing for ${stallMs} ms and is disconnected`),
      );
    });
    call.on("cancelled", done);
    if (call.cancelled) done();
    else call.write(message, done);
  });
}

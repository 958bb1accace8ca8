import { PalimpsestError } from "../base/error.js";
import { thrownMessage } from "../base/thrown.js";

/**
 * Runs a decoder of what another process has sent or stored.
 * @param what names the message in the error
 * @throws {PalimpsestError} CODEC
 */
export function decoded<Message>(what: string, decode: () => Message): Message {
  try {
    return decode();
  } catch (cause) {
    throw new PalimpsestError("CODEC", `${what} cannot be read: ${thrownMessage(cause)}`, { cause });
  }
}

import type { ActorBulk } from "@palimpsest/client";
import {
  type BulkReader,
  listenWithin,
  type Network,
  PalimpsestError,
  type RpcServer,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { portsOf } from "./listen-ports.js";

/** The bulk connections of one actor: a server of its own, since calls must not wait behind bytes. */
export class OwnBulk implements ActorBulk {
  readonly #network: Network;
  readonly #start: proto.ActorProcessStart.$Properties;
  #server: RpcServer | undefined;

  constructor(network: Network, start: proto.ActorProcessStart.$Properties) {
    this.#network = network;
    this.#start = start;
  }

  async serve(read: BulkReader["read"]): Promise<string> {
    if (this.#server !== undefined)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        "bulk.serve() was called twice: one reader serves all bytes",
      );
    const server = this.#network.createServer();
    this.#server = server;
    if (server.serveBulk === undefined) throw unsupported();
    server.serveBulk(() => ({ read, close: async () => undefined }));
    const host = this.#start.listenHost || "127.0.0.1";
    return await listenWithin(portsOf(this.#start), (port) => server.listen(host, port));
  }

  connect(address: string, stallMs: number) {
    const { connectBulk } = this.#network;
    if (connectBulk === undefined) throw unsupported();
    return connectBulk(address, stallMs, "actor");
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}

function unsupported(): PalimpsestError {
  return new PalimpsestError("UNAVAILABLE", "this network has no bulk connections");
}

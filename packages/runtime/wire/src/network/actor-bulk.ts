/** Bytes that pass between actors directly, in the actor's own thread and in threads that it starts. */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import * as proto from "@palimpsest/wire/protocol";
import { PalimpsestError } from "../base/error.js";
import type { BulkConnection } from "../bulk/bulk-client.js";
import type { BulkReader } from "../bulk/bulk-server.js";
import { faultsLoaded } from "../faults/environment-faults.js";
import { listenWithin, type PortRange } from "../machine/port-range.js";
import type { Credentials } from "../security/credentials.js";
import { adoptCredentials, credentialsOf, processCredentials } from "../security/process-credentials.js";
import { grpcNetwork } from "./grpc-network.js";
import type { Network, RpcServer } from "./network.js";

/** Bytes that pass between two actors directly, without messages and the object store: gigabytes per second. */
export interface ActorBulk {
  /**
   * Serves bytes to other actors until this one ends. A range that is asked for before it exists may be awaited for as long as the request
   * says. May be called once.
   * @returns the address for connect()
   * @throws {PalimpsestError} INVALID_ARGUMENT on a second call, UNAVAILABLE
   */
  serve(read: BulkReader["read"]): Promise<string>;
  /** @param stallMs longest silence in milliseconds while a request is outstanding */
  connect(address: string, stallMs: number): BulkConnection;
  /**
   * Lends a thread of this actor's process what it needs to serve and connect by itself, as this actor: see `lentBulk`. The thread's
   * server is its own, with an address of its own.
   */
  lend(): LentBulk;
}

/** What a thread gets from `ActorBulk.lend`: pass it to the thread as it is, and transfer `changes`. */
export interface LentBulk {
  readonly host: string;
  readonly ports: PortRange | undefined;
  /** Encoded ProcessCredentials. */
  readonly credentials: Uint8Array;
  /** Brings credentials that replace these, and closes with the actor. */
  readonly changes: MessagePort;
}

/** The bulk connections of one actor: a server of its own, since calls must not wait behind bytes. */
export class OwnBulk implements ActorBulk {
  readonly #network: Network;
  readonly #where: Pick<LentBulk, "host" | "ports">;
  readonly #lent = new Set<MessagePort>();
  #server: RpcServer | undefined;

  constructor(network: Network, where: Pick<LentBulk, "host" | "ports">) {
    this.#network = network;
    this.#where = where;
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
    const { host, ports } = this.#where;
    return await listenWithin(ports, (port) => server.listen(host, port));
  }

  connect(address: string, stallMs: number): BulkConnection {
    const { connectBulk } = this.#network;
    if (connectBulk === undefined) throw unsupported();
    return connectBulk(address, stallMs, "actor");
  }

  lend(): LentBulk {
    const { credentials } = this.#network;
    if (credentials === undefined) throw unsupported();
    const { port1: own, port2: changes } = new MessageChannel();
    const forget = credentials.onChange(() => own.postMessage(encoded(credentials)));
    own.once("close", () => {
      forget();
      this.#lent.delete(own);
    });
    own.unref();
    this.#lent.add(own);
    return { ...this.#where, credentials: encoded(credentials), changes };
  }

  async close(): Promise<void> {
    for (const port of this.#lent) port.close();
    await this.#server?.close();
  }
}

/** Opens in a thread what the actor has lent it. The thread may end while nothing is outstanding. */
export async function lentBulk({ credentials, changes, ...where }: LentBulk): Promise<ActorBulk> {
  await faultsLoaded;
  const own = credentialsOf(proto.ProcessCredentials.decode(credentials));
  // The actor itself reports a certificate that cannot be used; this thread keeps the one before it, too.
  const adopt = (bytes: Uint8Array) =>
    adoptCredentials(own, proto.ProcessCredentials.decode(bytes), () => undefined);
  const bulk = new OwnBulk(grpcNetwork({ credentials: own }), where);
  changes.on("message", adopt);
  changes.once("close", () => void bulk.close());
  changes.unref();
  return bulk;
}

function encoded(credentials: Credentials): Uint8Array {
  return proto.ProcessCredentials.encode(processCredentials(credentials.grant, credentials.tls)).finish();
}

function unsupported(): PalimpsestError {
  return new PalimpsestError("UNAVAILABLE", "this network has no bulk connections");
}

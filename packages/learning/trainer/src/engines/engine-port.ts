/** Responsibility: ports for the servers that runs of this machine start.
 *  Not responsible for: ports of other programs; a server that finds its port taken exits, and is restarted on another. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

const tries = 100;

/** A port that is given to no other engine of this machine while it is claimed. */
export interface PortClaim {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Claims a port of 127.0.0.1 on which nobody listens now. A server takes seconds to listen, and all engines of a machine
 * are restarted at the same time: without a claim two of them could get the same port, and servers that share ports
 * (SO_REUSEPORT, as vLLM's) would both answer on it.
 * @param pick for tests
 */
export async function claimPort(pick: () => Promise<number> = freePort): Promise<PortClaim> {
  for (let tried = 0; tried < tries; tried++) {
    const port = await pick();
    const lock = await lockOf(port);
    if (lock === undefined) continue;
    return {
      port,
      release: async () => {
        lock.close();
        await once(lock, "close");
      },
    };
  }
  throw new Error(`no port of 127.0.0.1 is free: ${tries} were tried, and other engines have all of them`);
}

/**
 * Creates a socket in Linux's abstract namespace: it belongs to the same network namespace as the port, and disappears with its
 * process, however that ends. Other systems have no such namespace, and there a port is not claimed.
 */
async function lockOf(port: number): Promise<Server | undefined> {
  const lock = createServer((socket) => socket.destroy());
  const name = `palimpsest-engine-port-${port}`;
  try {
    lock.listen(process.platform === "linux" ? `\0${name}` : 0);
    await once(lock, "listening");
  } catch {
    return undefined;
  }
  lock.unref();
  return lock;
}

/** Returns a port on which nobody listens now. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Responsibility: one head at a time on a data folder. A head listens on a Unix socket in the folder, and the kernel
 * accepts connections for as long as it lives, also from another container with the same volume, in which neither its
 * process id nor its port exists.
 * Not responsible for: heads on other machines that share the folder over a network file system.
 *
 * Invariants:
 * - HEADLOCK-1. Of several heads on one folder of a machine, one at most holds the lock.
 * - HEADLOCK-2. The socket of a head that was killed, and one in a copy of the folder, is not a lock.
 * - HEADLOCK-3. Modules behind links are found whether a folder is being locked or not.
 */
import { existsSync, statSync, unlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { platform } from "node:os";
import { join } from "node:path";
import type { Logger } from "@palimpsest/telemetry";
import { delay, PalimpsestError } from "@palimpsest/wire";

const socketName = "head.lock";
/** How long another head, which found the same dead socket, may take to replace this one's. */
const contestMs = 100;

/** @returns a function that releases the lock @throws {PalimpsestError} ALREADY_EXISTS */
export async function lockFolder(
  dataDir: string,
  holder: string,
  logger: Logger,
): Promise<() => Promise<void>> {
  const folder = await open(dataDir);
  // The path of a socket may have 107 bytes, which the folder's own path may exceed.
  const within = platform() === "linux" ? `/proc/self/fd/${folder.fd}` : dataDir;
  const path = join(within, socketName);
  try {
    if (await isAlive(path)) throw taken(dataDir, holder);
    if (existsSync(path)) unlinkSync(path);
    const server = await listenAt(path);
    const own = inodeOf(path);
    await delay(contestMs);
    if (own === undefined || inodeOf(path) !== own) {
      server.close();
      throw taken(dataDir, holder);
    }
    return async () => {
      await new Promise((resolve) => server.close(resolve));
      await folder.close();
    };
  } catch (reason) {
    await folder.close();
    if (reason instanceof PalimpsestError) throw reason;
    // Some volumes hold no sockets.
    logger.warn({ err: reason }, "the data folder cannot be locked: run no second head on it");
    return async () => undefined;
  }
}

function taken(dataDir: string, holder: string): PalimpsestError {
  return new PalimpsestError(
    "ALREADY_EXISTS",
    `a head already runs with this data folder${holder}: stop it or use another data folder than ${dataDir}`,
  );
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}

function listenAt(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen(path, () => resolve(server.unref()));
  });
}

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  } finally {
    // Node.js keeps the kind of the file that was looked at last, and its realpath() reads that: after a socket it stops at
    // the first folder that it knows.
    statSync("/");
  }
}

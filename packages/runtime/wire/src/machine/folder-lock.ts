/**
 * Responsibility: one process at a time on a folder. It listens on a Unix socket in the folder, and the kernel accepts
 * connections for as long as it lives, also from another container with the same volume, in which neither its process
 * id nor its port exists.
 * Not responsible for: processes on other machines that share the folder over a network file system.
 *
 * Invariants:
 * - PROCESSLOCK-1. Of several processes on one folder of a machine, one at most holds the lock.
 * - PROCESSLOCK-2. The socket of a process that was killed, and one in a copy of the folder, is not a lock.
 * - PROCESSLOCK-3. Modules behind links are found whether a folder is being locked or not.
 */
import { randomBytes } from "node:crypto";
import { renameSync, statSync, unlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { platform } from "node:os";
import { join } from "node:path";
import { delay } from "@palimpsest/std";

/** How long another process, which found nobody either, may take to put its socket in the place of this one's. */
const contestMs = 100;
/** Milliseconds for which a living process is asked for its id. */
const askMs = 1_000;

/** What another process has locked. */
export interface LockedFolder {
  /** Its process id, in its own container; undefined if it did not say. */
  readonly heldBy: number | undefined;
}

export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Takes the lock, or returns who has it.
 * @param folder must exist
 * @param name file name of the socket
 * @param unlockable is told why the folder cannot be locked: some volumes hold no sockets. The folder counts as taken.
 */
export async function lockFolder(
  folder: string,
  name: string,
  unlockable: (reason: unknown) => void,
): Promise<FolderLock | LockedFolder> {
  const handle = await open(folder);
  // The path of a socket may have 107 bytes, which the folder's own path may exceed.
  const within = platform() === "linux" ? `/proc/self/fd/${handle.fd}` : folder;
  const path = join(within, name);
  // Node.js removes the name at which a server began to listen when it ends: the lock's own name may be another's by then.
  const begun = `${path}.${randomBytes(6).toString("hex")}`;
  let server: Server | undefined;
  const end = async () => {
    if (server !== undefined) await new Promise((resolve) => server?.close(resolve));
    await handle.close();
  };
  try {
    let holder = await holderOf(path);
    if (holder === undefined) {
      server = await listenAt(begun);
      const own = inodeOf(begun);
      holder = await holderOf(path);
      if (holder === undefined) {
        renameSync(begun, path);
        await delay(contestMs);
        if (inodeOf(path) === own)
          return {
            release: async () => {
              if (inodeOf(path) === own) unlinkSync(path);
              await end();
            },
          };
        holder = (await holderOf(path)) ?? { heldBy: undefined };
      }
    }
    await end();
    return holder;
  } catch (reason) {
    await end();
    unlockable(reason);
    return { release: async () => undefined };
  }
}

/** Returns undefined if no living process listens there. */
function holderOf(path: string): Promise<LockedFolder | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let text = "";
    let connected = false;
    const answer = () => {
      socket.destroy();
      resolve(connected ? { heldBy: /^\d+$/.test(text) ? Number(text) : undefined } : undefined);
    };
    socket.setEncoding("utf8").setTimeout(askMs);
    socket.once("connect", () => {
      connected = true;
    });
    socket.on("data", (piece: string) => {
      text += piece;
    });
    for (const event of ["end", "error", "timeout"]) socket.once(event, answer);
  });
}

function listenAt(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.end(`${process.pid}`);
    });
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

/**
 * Responsibility: folders that belong to one living process each, and the removal of those whose process is dead.
 * Not responsible for: their content.
 *
 * A living process is identified by a Unix socket on which it listens: the kernel accepts connections for as long as
 * the process exists, even if it is busy, suspended, or in a container with other process ids, and refuses them from
 * the moment of its death. Where that proves nothing (another machine on a shared disk, a file system without
 * sockets), the age of the lease file decides, which the process touches periodically.
 *
 * Invariants:
 * - FOLDER-1. Only folders with a lease file are ever removed, whatever their name.
 * - FOLDER-2. The folder of a process that is alive on this machine is never removed.
 * - FOLDER-3. The folder of a process that died on this machine is removed by the next sweep, however recent it is.
 */

import { readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createConnection, createServer, type Server } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Clock, every } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import { z } from "zod";

const prefix = "palimpsest-objects-";
const leaseFile = "lease.json";
const socketFile = "alive";
const renewMs = 10_000;
/** The age in milliseconds at which a lease without other proof has expired. */
const leaseMs = 120_000;
const probeTimeoutMs = 2_000;

const leaseSchema = z.object({ bootId: z.string() });

export class FolderLease {
  readonly folder: string;
  readonly #socket: Server | undefined;
  readonly #stopRenewing: () => void;

  private constructor(folder: string, socket: Server | undefined, stopRenewing: () => void) {
    this.folder = folder;
    this.#socket = socket;
    this.#stopRenewing = stopRenewing;
  }

  /** Creates the folder. */
  static async take(parent: string, name: string, clock: Clock): Promise<FolderLease> {
    const folder = join(parent, `${prefix}${name}`);
    makeFolder(folder, 0o700);
    // The socket is created first: a folder with a lease file but without a socket would be judged by its age alone.
    const socket = await listenAt(folder);
    const file = join(folder, leaseFile);
    await writeFile(file, `${JSON.stringify({ bootId: await bootId(), pid: process.pid })}\n`, {
      mode: 0o600,
    });
    const stop = every(clock, renewMs, () => {
      const now = clock.now() / 1000;
      utimes(file, now, now).catch(() => undefined);
    });
    return new FolderLease(folder, socket, stop);
  }

  async close(): Promise<void> {
    this.#stopRenewing();
    // The files are removed first: once its socket is closed, another process may sweep the folder at any moment.
    await rm(this.folder, { recursive: true, force: true });
    await new Promise<void>((resolve) => {
      if (this.#socket) this.#socket.close(() => resolve());
      else resolve();
    });
  }
}

/** Removes the leased folders of `parent` whose process is dead. Returns their names. */
export async function sweepDeadFolders(parent: string, clock: Clock): Promise<readonly string[]> {
  const names = await readdir(parent).catch(() => []);
  const removed: string[] = [];
  for (const name of names) {
    const folder = join(parent, name);
    if (!name.startsWith(prefix) || (await mayLive(folder, clock))) continue;
    await rm(folder, { recursive: true, force: true }).then(
      () => removed.push(name),
      () => undefined,
    );
  }
  return removed;
}

async function mayLive(folder: string, clock: Clock): Promise<boolean> {
  const file = join(folder, leaseFile);
  try {
    const text = await readFile(file, "utf8");
    const lease = leaseSchema.safeParse(parsedJson(text));
    if (lease.success && lease.data.bootId === (await bootId())) {
      const proof = await probe(join(folder, socketFile));
      if (proof !== undefined) return proof;
    }
    const { mtimeMs } = await stat(file);
    return clock.now() - mtimeMs < leaseMs;
  } catch {
    // Without a lease file it is not this process's to judge; if the file cannot be read, it belongs to another user.
    return true;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether a process listens there; undefined if that cannot be determined. */
function probe(path: string): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ path, timeout: probeTimeoutMs });
    const settle = (lives: boolean | undefined) => {
      socket.destroy();
      resolve(lives);
    };
    socket.on("connect", () => settle(true));
    // A full connection queue also belongs to a living process.
    socket.on("timeout", () => settle(true));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") settle(false);
      else settle(error.code === "EAGAIN" ? true : undefined);
    });
  });
}

/** Listens under a temporary name before the rename, so that no prober finds a socket that refuses it. */
async function listenAt(folder: string): Promise<Server | undefined> {
  const server = createServer((connection) => connection.destroy());
  const passing = join(folder, "s");
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(passing, resolve);
    });
    await rename(passing, join(folder, socketFile));
    server.unref();
    return server;
  } catch {
    // The path is too long for a socket, or the file system has none, so the lease's age is the only proof.
    server.close();
    return undefined;
  }
}

/** Identifies the running kernel, which containers of one machine share. */
async function bootId(): Promise<string> {
  const text = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return text.trim() || hostname();
}

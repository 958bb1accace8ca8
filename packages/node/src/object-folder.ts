/** Where a node keeps its objects: memory (/dev/shm) where there is room, else its data folder. */
import { readdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";

const sharedMemory = "/dev/shm";
const prefix = "palimpsest-";

export interface ObjectFolder {
  readonly folder: string;
  readonly maxBytes: number;
}

export interface ObjectFolderOptions {
  readonly nodeId: string;
  readonly dataDir: string;
  /** Empty: chosen here. */
  readonly preferred: string;
  readonly maxBytes: number | undefined;
  readonly memoryBytes: number;
}

export async function chooseObjectFolder(options: ObjectFolderOptions): Promise<ObjectFolder> {
  const { nodeId, dataDir, preferred } = options;
  const wantedBytes = options.maxBytes ?? Math.floor(options.memoryBytes * 0.3);
  // The process id tells a later node whether this one still runs.
  const name = `${prefix}${process.pid}-${nodeId}`;
  if (preferred) return { folder: join(preferred, name), maxBytes: wantedBytes };
  const freeBytes = await freeBytesOf(sharedMemory);
  if (freeBytes !== undefined && freeBytes >= wantedBytes) {
    await sweep(sharedMemory);
    return { folder: join(sharedMemory, name), maxBytes: wantedBytes };
  }
  return { folder: join(dataDir, "objects", name), maxBytes: wantedBytes };
}

async function freeBytesOf(folder: string): Promise<number | undefined> {
  const stats = await statfs(folder).catch(() => undefined);
  return stats && stats.bavail * stats.bsize;
}

/** Removes what nodes that were killed have left in memory. */
async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(/^palimpsest-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !runs(pid))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (reason) {
    return reason instanceof Error && "code" in reason && reason.code === "EPERM";
  }
}

/** Chooses where a node stores its objects: in memory (/dev/shm) if there is room, else in its data folder. */
import { randomUUID } from "node:crypto";
import { statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import { FolderLease, sweepDeadFolders } from "../../base/folder-lease.js";

const sharedMemory = "/dev/shm";
/** The number by which Linux names a tmpfs. */
const tmpfsType = 0x01021994;

/** Shared memory below this is too small to store objects in; container engines give 64 MiB where nothing is said. */
const leastInMemory = 256 * 1024 * 1024;

export interface ObjectFolder {
  /** The store's folder. Its parent is leased by this process. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly place: "memory" | "disk";
  /** Why objects are not in memory; empty if they are, or if the folder was configured. */
  readonly onDiskBecause: string;
  /** A file whose text only programs on this machine can read: a program that knows the text sees the store's files. */
  readonly proof: { readonly path: string; readonly text: string };
  /** Where objects with leases are spilled when the store is full; undefined if they are not. */
  readonly spill: { readonly folder: string; readonly maxBytes: number } | undefined;
  /** Gives up the leases and removes everything. */
  close(): Promise<void>;
}

export interface ObjectFolderOptions {
  readonly nodeId: string;
  readonly dataDir: string;
  /** The configured folder; empty if one should be chosen. */
  readonly preferred: string;
  readonly maxBytes: number | undefined;
  readonly memoryBytes: number;
  /**
   * The maximum bytes of spilled objects. With 0 nothing is spilled; undefined means half of the free space on the disk
   * of dataDir.
   */
  readonly maxSpillBytes?: number | undefined;
  /** Default /dev/shm. */
  readonly memoryDir?: string;
  readonly clock?: Clock;
  readonly freeBytesOf?: (folder: string) => Promise<number | undefined>;
}

/** Chooses the folder. The remains of dead nodes are removed first, because they would count as used space. */
export async function chooseObjectFolder(options: ObjectFolderOptions): Promise<ObjectFolder> {
  const { preferred, memoryDir = sharedMemory, clock = systemClock } = options;
  const onDisk = join(options.dataDir, "objects");
  const spillParent = join(options.dataDir, "spill");
  const parents = [memoryDir, onDisk, spillParent, ...(preferred ? [preferred] : [])];
  for (const parent of new Set(parents)) await sweepDeadFolders(parent, clock);
  const freeOf = options.freeBytesOf ?? freeBytesOf;
  const freeBytes = preferred ? undefined : await freeOf(memoryDir);
  const maxBytes = options.maxBytes ?? storeBytes(options.memoryBytes, freeBytes);
  const inMemory = freeBytes !== undefined && freeBytes >= maxBytes;
  const parent = preferred || (inMemory ? memoryDir : onDisk);
  // The name is new each time, so that a sweep of old folders cannot meet a living node in one.
  const name = `${options.nodeId}-${randomUUID().slice(0, 8)}`;
  const lease = await FolderLease.take(parent, name, clock);
  const place =
    inMemory || (preferred !== "" && (await isInMemory(preferred, memoryDir))) ? "memory" : "disk";
  const proof = { path: join(lease.folder, "proof"), text: randomUUID() };
  await writeFile(proof.path, proof.text, { mode: 0o600 });
  const onDiskBecause = preferred || inMemory ? "" : noRoom(memoryDir, freeBytes, maxBytes);
  const folder = join(lease.folder, "store");
  const maxSpillBytes = options.maxSpillBytes ?? Math.floor(((await freeOf(options.dataDir)) ?? 0) / 2);
  const spillLease = maxSpillBytes > 0 ? await FolderLease.take(spillParent, name, clock) : undefined;
  const spill = spillLease && { folder: join(spillLease.folder, "store"), maxBytes: maxSpillBytes };
  const close = async () => void (await Promise.all([lease.close(), spillLease?.close()]));
  return { folder, maxBytes, place, onDiskBecause, proof, spill, close };
}

/**
 * The size of a store that none was configured for. A container's shared memory is often smaller than the share of its
 * memory: a smaller store there, with what does not fit spilled, is faster than a whole one on disk.
 */
function storeBytes(memoryBytes: number, freeBytes = 0): number {
  const share = Math.floor(memoryBytes * 0.3);
  return freeBytes < leastInMemory ? share : Math.min(share, Math.floor(freeBytes * 0.9));
}

function noRoom(memoryDir: string, freeBytes: number | undefined, maxBytes: number): string {
  if (freeBytes === undefined) return `there is no ${memoryDir}`;
  return `${memoryDir} has ${freeBytes} bytes free, and the store may take ${maxBytes}: lower objectStoreBytes, or make ${memoryDir} larger`;
}

/** Returns whether the folder is on a file system in memory: below `memoryDir`, or on another tmpfs. */
async function isInMemory(folder: string, memoryDir: string): Promise<boolean> {
  if (folder.startsWith(`${memoryDir}/`)) return true;
  return (await statfs(folder).catch(() => undefined))?.type === tmpfsType;
}

async function freeBytesOf(folder: string): Promise<number | undefined> {
  const stats = await statfs(folder).catch(() => undefined);
  return stats && stats.bavail * stats.bsize;
}

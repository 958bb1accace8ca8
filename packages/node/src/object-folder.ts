/** Where a node keeps its objects: memory (/dev/shm) where there is room, else its data folder. */
import { randomUUID } from "node:crypto";
import { statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/wire";
import { FolderLease, sweepDeadFolders } from "./folder-lease.js";

const sharedMemory = "/dev/shm";

export interface ObjectFolder {
  /** Of the store; its parent is leased by this process. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly place: "memory" | "disk";
  /** Why objects do not lie in memory; empty: they do, or somebody chose the folder. */
  readonly onDiskBecause: string;
  /** A file whose text only programs of this machine can read: who tells it sees the store's files. */
  readonly proof: { readonly path: string; readonly text: string };
  /** Where held objects go when the store is full; undefined: nowhere. */
  readonly spill: { readonly folder: string; readonly maxBytes: number } | undefined;
  /** Gives the leases up and removes everything. */
  close(): Promise<void>;
}

export interface ObjectFolderOptions {
  readonly nodeId: string;
  readonly dataDir: string;
  /** Empty: chosen here. */
  readonly preferred: string;
  readonly maxBytes: number | undefined;
  readonly memoryBytes: number;
  /** 0: nothing is spilled; undefined: half of what is free on the disk of dataDir. */
  readonly maxSpillBytes?: number | undefined;
  /** Default /dev/shm. */
  readonly memoryDir?: string;
  readonly clock?: Clock;
  readonly freeBytesOf?: (folder: string) => Promise<number | undefined>;
}

/** What dead nodes have left is removed first: it would count as taken. */
export async function chooseObjectFolder(options: ObjectFolderOptions): Promise<ObjectFolder> {
  const { preferred, memoryDir = sharedMemory, clock = systemClock } = options;
  const maxBytes = options.maxBytes ?? Math.floor(options.memoryBytes * 0.3);
  const onDisk = join(options.dataDir, "objects");
  const spillParent = join(options.dataDir, "spill");
  const parents = [memoryDir, onDisk, spillParent, ...(preferred ? [preferred] : [])];
  for (const parent of new Set(parents)) await sweepDeadFolders(parent, clock);
  const freeOf = options.freeBytesOf ?? freeBytesOf;
  const freeBytes = preferred ? undefined : await freeOf(memoryDir);
  const inMemory = freeBytes !== undefined && freeBytes >= maxBytes;
  const parent = preferred || (inMemory ? memoryDir : onDisk);
  // The name is new each time: whoever sweeps an old folder cannot meet a living node in it.
  const name = `${options.nodeId}-${randomUUID().slice(0, 8)}`;
  const lease = await FolderLease.take(parent, name, clock);
  const place = inMemory || preferred.startsWith(`${memoryDir}/`) ? "memory" : "disk";
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

function noRoom(memoryDir: string, freeBytes: number | undefined, maxBytes: number): string {
  if (freeBytes === undefined) return `there is no ${memoryDir}`;
  return `${memoryDir} has ${freeBytes} bytes free, and the store may take ${maxBytes}: give objectStoreBytes a smaller bound, or ${memoryDir} more room`;
}

async function freeBytesOf(folder: string): Promise<number | undefined> {
  const stats = await statfs(folder).catch(() => undefined);
  return stats && stats.bavail * stats.bsize;
}

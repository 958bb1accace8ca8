/** The file system under an object store, reduced to what the store needs. */

import { constants, lstatSync, renameSync, type Stats } from "node:fs";
import { copyFile, link, lstat, open, rename, rm, truncate, unlink } from "node:fs/promises";
import { makeFolder } from "@palimpsest/std/files";
import { canMapIn, isUnmapped } from "@palimpsest/wire";

export interface ObjectFile {
  write(data: Uint8Array, offset: number): Promise<{ readonly bytesWritten: number }>;
  close(): Promise<void>;
}

export interface OpenedObject {
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

/** A file that is written and read at any position. */
export interface PlacedFile extends OpenedObject {
  writeAt(data: Uint8Array, position: number): Promise<void>;
}

export interface ObjectDisk {
  /** Creates an empty folder. */
  makeFolder(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** Creates a file that is written from its beginning. */
  create(path: string): Promise<ObjectFile>;
  /** Opens an existing file that may be written at any position. */
  openToWrite(path: string): Promise<PlacedFile>;
  /** Opens a file for reading. A file that is removed in the meantime can still be read to its end. */
  open(path: string): Promise<OpenedObject>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, if there is one. */
  remove(path: string): Promise<void>;
  /** Returns the size of a plain file in bytes; undefined if there is none. */
  sizeOf(path: string): Promise<number | undefined>;
  /** Truncates the file, or extends it with zeros. */
  resize(path: string, sizeBytes: number): Promise<void>;
  /** Returns how many names (hard links) the file has; 0 if there is none. */
  linksOf(path: string): Promise<number>;
  /** Whether its files are in memory, so that programs of any node of this machine may map them. */
  readonly isInMemory: boolean;
  /** Whether programs may map its files (MAPPED-3): then a file is only written again if isUnmapped() says so. */
  readonly canMapIn: (folder: string) => boolean;
  /** Returns whether no process has the file mapped, as far as this one can tell. */
  isUnmapped(path: string): boolean;
  /**
   * Gives the file of another store on this machine a name here: the same pages by a hard link, or a copy within the
   * kernel if it is on another file system.
   * @returns false, leaving nothing behind, if this process cannot see the file, or the file has another size or was
   * renamed in the meantime
   */
  adopt(from: string, to: string, sizeBytes: number): Promise<boolean>;
}

/** The system's disk. */
export const systemDisk: ObjectDisk = {
  async makeFolder(path) {
    await rm(path, { recursive: true, force: true });
    makeFolder(path, 0o700);
  },
  removeFolder: (path) => rm(path, { recursive: true, force: true }),
  create: (path) => open(path, "wx", 0o600),
  async openToWrite(path) {
    const file = await open(path, "r+");
    return {
      async writeAt(data, position) {
        for (let done = 0; done < data.byteLength; ) {
          const left = data.byteLength - done;
          done += (await file.write(data, done, left, position + done)).bytesWritten;
        }
      },
      read: (buffer, offset, length, position) => file.read(buffer, offset, length, position),
      close: () => file.close(),
    };
  },
  open: (path) => open(path, "r"),
  rename,
  remove: (path) => unlink(path).catch(unlessMissing),
  async sizeOf(path) {
    const stats = await lstat(path).catch(() => undefined);
    return stats?.isFile() ? stats.size : undefined;
  },
  resize: truncate,
  linksOf: async (path) => (await lstat(path).catch(() => undefined))?.nlink ?? 0,
  isInMemory: false,
  canMapIn: () => false,
  isUnmapped: () => true,
  async adopt(from, to, sizeBytes) {
    try {
      // The link points to whatever has that name at this moment, and an object's name always belongs to the complete
      // object.
      await link(from, to).catch((reason) => copiedAcross(from, to, reason));
      const stats = await lstat(to);
      if (stats.isFile() && stats.size === sizeBytes && stats.uid === process.getuid?.()) return true;
    } catch {
      // Whatever the reason, the bytes can be fetched in another way.
    }
    await rm(to, { force: true });
    return false;
  },
};

/**
 * The system's disk for a folder in memory. Operations on names alone take a few microseconds there, and a thread-pool
 * round trip takes twenty times as long, so they run synchronously. Operations that free or copy pages still go to a
 * thread.
 */
export const memoryDisk: ObjectDisk = {
  ...systemDisk,
  rename: async (from, to) => renameSync(from, to),
  async sizeOf(path) {
    const stats = statsOf(path);
    return stats?.isFile() ? stats.size : undefined;
  },
  linksOf: async (path) => statsOf(path)?.nlink ?? 0,
  isInMemory: true,
  canMapIn,
  isUnmapped(path) {
    try {
      return isUnmapped(path);
    } catch {
      return false;
    }
  },
};

function unlessMissing(reason: NodeJS.ErrnoException): void {
  if (reason.code !== "ENOENT") throw reason;
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Copies a file of another file system. A file that was freed during the copy may have been written again; then its
 * name is gone.
 */
async function copiedAcross(from: string, to: string, reason: NodeJS.ErrnoException): Promise<void> {
  if (reason.code !== "EXDEV") throw reason;
  const before = await lstat(from);
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  if ((await lstat(from)).ino !== before.ino) throw reason;
}

/** Returns bytes in memory in the form of an opened file. */
export function openedBytes(bytes: Uint8Array): OpenedObject {
  return {
    read: async (buffer, offset, length, position) => {
      const part = bytes.subarray(position, position + length);
      buffer.set(part, offset);
      return { bytesRead: part.byteLength };
    },
    close: async () => undefined,
  };
}

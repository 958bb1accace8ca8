/** The file system under an object store, with no more than the store asks of it. */
import { constants, lstatSync, renameSync, type Stats } from "node:fs";
import { copyFile, link, lstat, mkdir, open, rename, rm, truncate } from "node:fs/promises";

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

/** A file that is written and read at any place. */
export interface PlacedFile extends OpenedObject {
  writeAt(data: Uint8Array, position: number): Promise<void>;
}

export interface ObjectDisk {
  /** Makes the folder and empties it. */
  makeFolder(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** A new file, to be written from its beginning. */
  create(path: string): Promise<ObjectFile>;
  /** A file that is there already, to be written at any place. */
  openToWrite(path: string): Promise<PlacedFile>;
  /** To be read. A file that is removed meanwhile is still read to its end. */
  open(path: string): Promise<OpenedObject>;
  rename(from: string, to: string): Promise<void>;
  /** No error when there is no such file. */
  remove(path: string): Promise<void>;
  /** Size of a plain file; undefined when there is none. */
  sizeOf(path: string): Promise<number | undefined>;
  /** Cuts the file off, or makes it longer with zeros. */
  resize(path: string, sizeBytes: number): Promise<void>;
  /** How many names the file has; 0: there is none. */
  linksOf(path: string): Promise<number>;
  /**
   * Gives the file of another store of this machine a name here: the same pages, or a copy within the kernel where it lies on
   * another file system.
   * @returns false, and nothing is left, when this process cannot see the file, it has another size, or it changed its place
   * meanwhile
   */
  adopt(from: string, to: string, sizeBytes: number): Promise<boolean>;
}

/** The machine's own. */
export const systemDisk: ObjectDisk = {
  async makeFolder(path) {
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true, mode: 0o700 });
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
  remove: (path) => rm(path, { force: true }),
  async sizeOf(path) {
    const stats = await lstat(path).catch(() => undefined);
    return stats?.isFile() ? stats.size : undefined;
  },
  resize: truncate,
  linksOf: async (path) => (await lstat(path).catch(() => undefined))?.nlink ?? 0,
  async adopt(from, to, sizeBytes) {
    try {
      // The name goes to what lies there in this moment, and under an object's name lies only the whole object.
      await link(from, to).catch((reason) => copiedAcross(from, to, reason));
      const stats = await lstat(to);
      if (stats.isFile() && stats.size === sizeBytes && stats.uid === process.getuid?.()) return true;
    } catch {
      // Whatever it was, the bytes can be had in another way.
    }
    await rm(to, { force: true });
    return false;
  },
};

/**
 * The machine's own, for a folder in memory: what concerns names alone takes a few microseconds there, and handing it to a
 * thread takes twenty times that. What frees or copies pages still goes to a thread.
 */
export const memoryDisk: ObjectDisk = {
  ...systemDisk,
  rename: async (from, to) => renameSync(from, to),
  async sizeOf(path) {
    const stats = statsOf(path);
    return stats?.isFile() ? stats.size : undefined;
  },
  linksOf: async (path) => statsOf(path)?.nlink ?? 0,
};

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A file that was freed while it was copied may have been written again: then its name is gone. */
async function copiedAcross(from: string, to: string, reason: NodeJS.ErrnoException): Promise<void> {
  if (reason.code !== "EXDEV") throw reason;
  const before = await lstat(from);
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  if ((await lstat(from)).ino !== before.ino) throw reason;
}

/** Bytes in memory, read as a file. */
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

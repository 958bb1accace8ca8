/** The file system under an object store, with no more than the store asks of it. */
import { lstat, mkdir, open, rename, rm, truncate } from "node:fs/promises";

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

export interface ObjectDisk {
  /** Makes the folder and empties it. */
  makeFolder(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** A new file, to be written from its beginning. */
  create(path: string): Promise<ObjectFile>;
  /** To be read. A file that is removed meanwhile is still read to its end. */
  open(path: string): Promise<OpenedObject>;
  rename(from: string, to: string): Promise<void>;
  /** No error when there is no such file. */
  remove(path: string): Promise<void>;
  /** Size of a plain file; undefined when there is none. */
  sizeOf(path: string): Promise<number | undefined>;
  /** Cuts the file off, or makes it longer with zeros. */
  resize(path: string, sizeBytes: number): Promise<void>;
}

/** The machine's own. */
export const systemDisk: ObjectDisk = {
  async makeFolder(path) {
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  removeFolder: (path) => rm(path, { recursive: true, force: true }),
  create: (path) => open(path, "wx", 0o600),
  open: (path) => open(path, "r"),
  rename,
  remove: (path) => rm(path, { force: true }),
  async sizeOf(path) {
    const stats = await lstat(path).catch(() => undefined);
    return stats?.isFile() ? stats.size : undefined;
  },
  resize: truncate,
};

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

import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type DurableFiles, durableFiles } from "./durable-files.js";

/** Two processes that write the same file do not write into each other's part of it. */
const partOf = (path: string) => `${path}.${process.pid}.part`;

/**
 * Replaces a file as a whole or not at all: who reads it meanwhile reads the old contents or the new ones, and these and
 * their name are on disk when it resolves. On failure nothing of them is left.
 * @param files the disk; a test's may fail or crash
 */
export async function replaceFile(
  path: string,
  contents: Uint8Array | string,
  files: DurableFiles = durableFiles,
): Promise<void> {
  const part = partOf(path);
  try {
    await files.write(part, typeof contents === "string" ? Buffer.from(contents) : contents);
    await files.rename(part, path);
  } catch (reason) {
    await files.remove(part).catch(() => undefined);
    throw reason;
  }
  await files.syncFolder(dirname(path));
}

/**
 * Does the same as `replaceFile` before it returns, for the small files of a process that starts.
 * @param mode the file's permissions, whatever the umask
 */
export function replaceFileSync(path: string, text: string, mode: number): void {
  const part = partOf(path);
  try {
    const file = openSync(part, "w", mode);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    chmodSync(part, mode);
    renameSync(part, path);
  } catch (reason) {
    rmSync(part, { force: true });
    throw reason;
  }
}

/** A file that is written piece by piece, and appears under its name when it is complete and on disk. */
export class WholeFile {
  readonly path: string;
  readonly #part: string;
  readonly #file: FileHandle;

  private constructor(path: string, part: string, file: FileHandle) {
    this.path = path;
    this.#part = part;
    this.#file = file;
  }

  static async create(path: string, mode = 0o666): Promise<WholeFile> {
    const part = partOf(path);
    return new WholeFile(path, part, await open(part, "w", mode));
  }

  async write(piece: Uint8Array | string): Promise<void> {
    await this.#file.appendFile(piece);
  }

  /** @param path where the file is to be; default: the path it was created for */
  async finish(path = this.path): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#part, path);
    await durableFiles.syncFolder(dirname(path));
  }

  /** Removes what is not finished; afterwards, and for a finished file, it does nothing. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await rm(this.#part, { force: true });
  }
}

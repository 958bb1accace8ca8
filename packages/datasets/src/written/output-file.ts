import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "@palimpsest/std";
import { reasonText } from "@palimpsest/std/input";
import { DatasetError } from "../error.js";
import type { HashedFile } from "../source/file-hash.js";

/** A file that is written piece by piece and hashed. It appears under its name only when it is complete. */
export class OutputFile {
  readonly path: string;
  readonly #part: string;
  readonly #file: FileHandle;
  readonly #hash = createHash("sha256");
  #sizeBytes = 0;

  private constructor(path: string, part: string, file: FileHandle) {
    this.path = path;
    this.#part = part;
    this.#file = file;
  }

  /** @throws {DatasetError} UNWRITABLE_FILE */
  static async create(path: string): Promise<OutputFile> {
    const part = `${path}.${process.pid}.part`;
    const file = await orUnwritable(path, async () => {
      makeFolder(dirname(path));
      return await open(part, "w");
    });
    return new OutputFile(path, part, file);
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#file.appendFile(bytes);
    this.#hash.update(bytes);
    this.#sizeBytes += bytes.length;
  }

  /** @throws {DatasetError} UNWRITABLE_FILE */
  async finish(): Promise<HashedFile> {
    await this.#file.sync();
    await this.#file.close();
    await orUnwritable(this.path, () => rename(this.#part, this.path));
    return { path: this.path, sizeBytes: this.#sizeBytes, sha256: this.#hash.digest("hex") };
  }

  /** Closes and removes the incomplete file. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await rm(this.#part, { force: true });
  }
}

async function orUnwritable<T>(path: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    throw new DatasetError(
      "UNWRITABLE_FILE",
      `out: cannot write "${path}" (${reasonText(error)}); give a path that this process may write`,
      { path },
      error,
    );
  }
}

import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { makeFolder, WholeFile } from "@palimpsest/std/files";
import { reasonText } from "@palimpsest/std/input";
import { DatasetError } from "../error.js";
import type { HashedFile } from "../source/file-hash.js";

/** A file that is written piece by piece and hashed. It appears under its name only when it is complete. */
export class OutputFile {
  readonly #file: WholeFile;
  readonly #hash = createHash("sha256");
  #sizeBytes = 0;

  private constructor(file: WholeFile) {
    this.#file = file;
  }

  /** @throws {DatasetError} UNWRITABLE_FILE */
  static async create(path: string): Promise<OutputFile> {
    return await orUnwritable(path, async () => {
      makeFolder(dirname(path));
      return new OutputFile(await WholeFile.create(path));
    });
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#file.write(bytes);
    this.#hash.update(bytes);
    this.#sizeBytes += bytes.length;
  }

  /** @throws {DatasetError} UNWRITABLE_FILE */
  async finish(): Promise<HashedFile> {
    const { path } = this.#file;
    await orUnwritable(path, () => this.#file.finish());
    return { path, sizeBytes: this.#sizeBytes, sha256: this.#hash.digest("hex") };
  }

  /** Closes and removes the incomplete file. */
  async discard(): Promise<void> {
    await this.#file.discard();
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

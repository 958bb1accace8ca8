import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { HashedFile } from "../source/file-hash.js";

/** A file that is written piece by piece and appears whole under its name, with its hash, or not at all. */
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

  static async create(path: string): Promise<OutputFile> {
    await mkdir(dirname(path), { recursive: true });
    const part = `${path}.${process.pid}.part`;
    return new OutputFile(path, part, await open(part, "w"));
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#file.appendFile(bytes);
    this.#hash.update(bytes);
    this.#sizeBytes += bytes.length;
  }

  async finish(): Promise<HashedFile> {
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#part, this.path);
    return { path: this.path, sizeBytes: this.#sizeBytes, sha256: this.#hash.digest("hex") };
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await rm(this.#part, { force: true });
  }
}

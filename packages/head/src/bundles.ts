/** Code and recipes that clients uploaded, as files named by the SHA-256 of their bytes. */
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import { isSha256, sha256Of } from "./job.js";

const chunkBytes = 256 * 1024;

export interface Bundle {
  readonly sha256: string;
  readonly sizeBytes: number;
}

export class Bundles {
  readonly #folder: string;
  readonly #maxBytes: number;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Stores the bytes of the chunks. @throws {PalimpsestError} LIMIT_EXCEEDED */
  async put(chunks: AsyncIterable<Uint8Array>): Promise<Bundle> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const temporary = join(this.#folder, `upload-${randomBytes(6).toString("hex")}`);
    try {
      const bundle = await this.#receive(chunks, temporary);
      await rename(temporary, this.#path(bundle.sha256));
      return bundle;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async putText(text: string): Promise<Bundle> {
    const bytes = Buffer.from(text, "utf8");
    if (bytes.length > this.#maxBytes) throw this.#tooLarge();
    const sha256 = sha256Of(bytes);
    if ((await this.sizeBytes(sha256)) === undefined) {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const temporary = join(this.#folder, `upload-${randomBytes(6).toString("hex")}`);
      await writeFile(temporary, bytes, { mode: 0o600 });
      await rename(temporary, this.#path(sha256));
    }
    return { sha256, sizeBytes: bytes.length };
  }

  /** Undefined when it is not here. */
  async sizeBytes(sha256: string): Promise<number | undefined> {
    if (!isSha256(sha256)) return undefined;
    return (await stat(this.#path(sha256)).catch(() => undefined))?.size;
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  async *read(sha256: string): AsyncGenerator<Uint8Array> {
    if ((await this.sizeBytes(sha256)) === undefined) {
      throw new PalimpsestError("NOT_FOUND", `bundle ${sha256} is not here: upload it with PutBundle first`);
    }
    yield* createReadStream(this.#path(sha256), { highWaterMark: chunkBytes }) as AsyncIterable<Uint8Array>;
  }

  async #receive(chunks: AsyncIterable<Uint8Array>, path: string): Promise<Bundle> {
    const hash = createHash("sha256");
    let sizeBytes = 0;
    const file = await open(path, "w", 0o600);
    try {
      for await (const chunk of chunks) {
        sizeBytes += chunk.byteLength;
        if (sizeBytes > this.#maxBytes) throw this.#tooLarge();
        hash.update(chunk);
        await file.write(chunk);
      }
    } finally {
      await file.close();
    }
    return { sha256: hash.digest("hex"), sizeBytes };
  }

  #tooLarge(): PalimpsestError {
    return new PalimpsestError(
      "LIMIT_EXCEEDED",
      `the bundle is larger than ${this.#maxBytes} bytes: leave data out of it and read it from a path`,
    );
  }

  #path(sha256: string): string {
    return join(this.#folder, sha256);
  }
}

/**
 * Stores code, recipes and working directories that clients have uploaded, as files named by the SHA-256 of their
 * content.
 *
 * Responsibility: storing them completely, and removing those that nothing refers to.
 * Not responsible for: knowing what refers to them (the control plane does).
 *
 * Invariants:
 * - HEAD-BUNDLE-1. A file gets its name only after its bytes are on disk: they are synced before the rename.
 * - HEAD-BUNDLE-2. A sweep does not remove a bundle that was uploaded within keepMs, because the upload precedes the
 *   request that will refer to it.
 * - HEAD-BUNDLE-3. Where heads share a Redis, a bundle that another head received is fetched from there on demand. An
 *   upload does not fail if its copy cannot be stored there; the next sweep stores it.
 */

import { createHash, randomBytes } from "node:crypto";
import { open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { sha256Of } from "@palimpsest/std";
import { makeFolder, WholeFile } from "@palimpsest/std/files";
import { isSha256, PalimpsestError } from "@palimpsest/wire";
import type { Bundle } from "./bundle.js";
import type { BundleShare } from "./shared-bundles.js";

const chunkBytes = 256 * 1024;
/**
 * The milliseconds for which a bundle that was found is assumed to exist, because thousands of actors of one class may
 * be created at once.
 */
const seenMs = 1_000;
const uploadPrefix = "upload-";

/**
 * The milliseconds after an upload in which a bundle is not removed, because a submission that names it may be on its
 * way.
 */
const justUploadedMs = 600_000;

export interface BundlesOptions {
  /** Where the cluster's heads share their bundles. */
  readonly share?: BundleShare | undefined;
  /** Called when a copy could not be stored or read there. */
  readonly onShareFailed?: (sha256: string, reason: unknown) => void;
}

export class Bundles {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** The wall-clock time of the last upload of each bundle, as far as this process has seen uploads. */
  readonly #uploadedAtMs = new Map<string, number>();
  readonly #seen = new Map<string, { readonly sizeBytes: number; readonly untilMs: number }>();
  readonly #share: BundleShare | undefined;
  readonly #fetches = new Map<string, Promise<void>>();
  readonly #onShareFailed: (sha256: string, reason: unknown) => void;

  constructor(folder: string, maxBytes: number, options: BundlesOptions = {}) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#share = options.share;
    this.#onShareFailed = options.onShareFailed ?? (() => undefined);
  }

  /** Stores the bytes of the chunks. @throws {PalimpsestError} LIMIT_EXCEEDED */
  async put(chunks: AsyncIterable<Uint8Array>): Promise<Bundle> {
    const upload = await this.#upload();
    try {
      const bundle = await this.#receive(chunks, upload);
      await upload.finish(this.#path(bundle.sha256));
      this.#uploadedAtMs.set(bundle.sha256, Date.now());
      await this.#copy(bundle.sha256);
      return bundle;
    } finally {
      await upload.discard();
    }
  }

  async putText(text: string): Promise<Bundle> {
    const bytes = Buffer.from(text, "utf8");
    const sha256 = sha256Of(bytes);
    this.#uploadedAtMs.set(sha256, Date.now());
    if ((await this.sizeBytes(sha256)) === bytes.length) return { sha256, sizeBytes: bytes.length };
    return this.put(Readable.from([bytes]));
  }

  /** Removes a bundle that nothing refers to any more, unless it was uploaded recently. */
  async remove(sha256: string): Promise<void> {
    if (Date.now() - (this.#uploadedAtMs.get(sha256) ?? 0) < justUploadedMs) return;
    this.#uploadedAtMs.delete(sha256);
    this.#seen.delete(sha256);
    await rm(this.#path(sha256), { force: true });
    await this.#share?.remove(sha256);
  }

  /**
   * Removes the remains of broken uploads, and bundles older than keepMs that nothing refers to.
   * @returns how many files it removed
   */
  async sweep(isUsed: (sha256: string) => boolean, keepMs: number): Promise<number> {
    const names = await readdir(this.#folder).catch(() => []);
    let removed = 0;
    for (const name of names) {
      if (isUsed(name)) await this.#copy(name);
      if (isUsed(name) || !(isSha256(name) || name.startsWith(uploadPrefix))) continue;
      const file = await stat(this.#path(name)).catch(() => undefined);
      const atMs = Math.max(file?.mtimeMs ?? 0, this.#uploadedAtMs.get(name) ?? 0);
      if (file === undefined || Date.now() - atMs < keepMs) continue;
      this.#uploadedAtMs.delete(name);
      this.#seen.delete(name);
      await rm(this.#path(name), { force: true });
      if (isSha256(name))
        await this.#share?.remove(name).catch((reason: unknown) => this.#onShareFailed(name, reason));
      removed++;
    }
    return removed;
  }

  /** Returns the size of a bundle; undefined when it is not stored. */
  async sizeBytes(sha256: string): Promise<number | undefined> {
    if (!isSha256(sha256)) return undefined;
    const seen = this.#seen.get(sha256);
    if (seen !== undefined && performance.now() < seen.untilMs) return seen.sizeBytes;
    const sizeBytes = (await this.#storedBytes(sha256)) ?? (await this.#fetched(sha256));
    if (sizeBytes === undefined) this.#seen.delete(sha256);
    else this.#seen.set(sha256, { sizeBytes, untilMs: performance.now() + seenMs });
    return sizeBytes;
  }

  async #storedBytes(sha256: string): Promise<number | undefined> {
    return (await stat(this.#path(sha256)).catch(() => undefined))?.size;
  }

  /** Stores a copy for the other heads, unless there is one (HEAD-BUNDLE-3). */
  async #copy(sha256: string): Promise<void> {
    const share = this.#share;
    if (share === undefined || !isSha256(sha256)) return;
    try {
      const sizeBytes = await this.#storedBytes(sha256);
      if (sizeBytes === undefined || (await share.has(sha256))) return;
      const stored = await share.put({ sha256, sizeBytes }, this.#file(sha256));
      if (!stored) this.#onShareFailed(sha256, "it is larger than bundleSharedBytes");
    } catch (reason) {
      this.#onShareFailed(sha256, reason);
    }
  }

  /** Fetches another head's bundle. Returns its size, or undefined when there is no copy of it. */
  async #fetched(sha256: string): Promise<number | undefined> {
    const share = this.#share;
    if (share === undefined) return undefined;
    let fetch = this.#fetches.get(sha256);
    if (fetch === undefined) {
      fetch = this.#fetch(share, sha256).finally(() => this.#fetches.delete(sha256));
      this.#fetches.set(sha256, fetch);
    }
    await fetch.catch((cause: unknown) => {
      throw new PalimpsestError("UNAVAILABLE", `bundle ${sha256} cannot be fetched from Redis now: retry`, {
        cause,
      });
    });
    return this.#storedBytes(sha256);
  }

  async #fetch(share: BundleShare, sha256: string): Promise<void> {
    if (!(await share.has(sha256))) return;
    const upload = await this.#upload();
    try {
      const bundle = await this.#receive(share.read(sha256), upload);
      if (bundle.sha256 === sha256) {
        await upload.finish(this.#path(sha256));
        return;
      }
      this.#onShareFailed(sha256, `its copy has the hash ${bundle.sha256}`);
      // The next upload, or the sweep of a head that has the file, stores an intact copy.
      await share.remove(sha256);
    } finally {
      await upload.discard();
    }
  }

  async #upload(): Promise<WholeFile> {
    makeFolder(this.#folder, 0o700);
    return await WholeFile.create(
      join(this.#folder, `${uploadPrefix}${randomBytes(6).toString("hex")}`),
      0o600,
    );
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  async *#file(sha256: string): AsyncGenerator<Uint8Array> {
    // The file is opened here and not by the stream, because the bundle may be removed at any time before.
    const file = await open(this.#path(sha256)).catch((cause: unknown) => {
      throw isMissing(cause) ? notHere(sha256) : cause;
    });
    yield* file.createReadStream({ highWaterMark: chunkBytes }) as AsyncIterable<Uint8Array>;
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  async *read(sha256: string): AsyncGenerator<Uint8Array> {
    if ((await this.sizeBytes(sha256)) === undefined) throw notHere(sha256);
    yield* this.#file(sha256);
  }

  async #receive(chunks: AsyncIterable<Uint8Array>, file: WholeFile): Promise<Bundle> {
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > this.#maxBytes) throw this.#tooLarge();
      hash.update(chunk);
      await file.write(chunk);
    }
    return { sha256: hash.digest("hex"), sizeBytes };
  }

  #tooLarge(): PalimpsestError {
    return new PalimpsestError(
      "LIMIT_EXCEEDED",
      `the bundle is larger than ${this.#maxBytes} bytes: leave data out of it, list large packages in external, or raise the head's bundleMaxBytes`,
    );
  }

  #path(sha256: string): string {
    return join(this.#folder, sha256);
  }
}

function notHere(sha256: string): PalimpsestError {
  return new PalimpsestError(
    "NOT_FOUND",
    `the head does not have bundle ${sha256}: upload it with PutBundle first`,
  );
}

function isMissing(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "ENOENT";
}

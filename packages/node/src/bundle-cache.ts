/**
 * Job: bundles of the head as files on this node, by their hash.
 *
 * B1. A file lies under its hash only when its bytes have that hash.
 * B2. Processes that need the same bundle at once wait for one download.
 */
import { createHash } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fromGrpcError, jobsService, PalimpsestError, type Peer } from "@palimpsest/wire";
import type { BundleChunk } from "@palimpsest/wire/protocol";
import type { Installation } from "./installation.js";

const sha256Pattern = /^[0-9a-f]{64}$/;
const maxBundleBytes = 64 * 1024 * 1024;
const downloadTimeoutMs = 60_000;

export interface BundleCacheDeps {
  readonly folder: string;
  readonly head: () => Peer;
  readonly installation: Installation;
  /** Aborts when the node ends: downloads do not hold it up. */
  readonly signal: AbortSignal;
}

export class BundleCache {
  readonly #deps: BundleCacheDeps;
  readonly #downloads = new Map<string, Promise<void>>();
  #linked: Promise<void> | undefined;

  constructor(deps: BundleCacheDeps) {
    this.#deps = deps;
  }

  /**
   * Path of the bundle's file, `.mjs` for a program and `.yaml` for a recipe.
   * @throws {PalimpsestError} INVALID_ARGUMENT, NOT_FOUND, UNAVAILABLE, CODEC
   */
  async fileOf(sha256: string, kind: "program" | "recipe"): Promise<string> {
    if (!sha256Pattern.test(sha256)) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `bundle ${JSON.stringify(sha256)} is not a SHA-256 in hex`,
      );
    }
    const path = join(this.#deps.folder, `${sha256}.${kind === "program" ? "mjs" : "yaml"}`);
    if (await stat(path).catch(() => undefined)) return path;
    let download = this.#downloads.get(path);
    if (download === undefined) {
      download = this.#download(sha256, path).finally(() => this.#downloads.delete(path));
      this.#downloads.set(path, download);
    }
    await download;
    return path;
  }

  async #download(sha256: string, path: string): Promise<void> {
    await mkdir(this.#deps.folder, { recursive: true, mode: 0o700 });
    this.#linked ??= this.#deps.installation.linkInto(this.#deps.folder);
    await this.#linked;
    const bytes = await this.#receive(sha256);
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (hash !== sha256) {
      throw new PalimpsestError("CODEC", `bundle ${sha256} arrived with hash ${hash}; submit it again`);
    }
    const temporary = `${path}.${process.pid}.part`;
    try {
      await writeFile(temporary, bytes, { mode: 0o600 });
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async #receive(sha256: string): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    const stream = this.#deps
      .head()
      .serverStream(
        jobsService.getBundle,
        { sha256 },
        { timeoutMs: downloadTimeoutMs, signal: this.#deps.signal },
      );
    try {
      for await (const chunk of stream as AsyncIterable<BundleChunk.$Properties>) {
        const data = chunk.data ?? new Uint8Array();
        sizeBytes += data.byteLength;
        if (sizeBytes > maxBundleBytes) {
          throw new PalimpsestError(
            "LIMIT_EXCEEDED",
            `bundle ${sha256} has more than ${maxBundleBytes} bytes`,
          );
        }
        chunks.push(data);
      }
    } catch (reason) {
      throw fromGrpcError(reason);
    }
    return Buffer.concat(chunks);
  }
}

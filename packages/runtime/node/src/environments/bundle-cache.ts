/**
 * The head's bundles as files on this node, by their hash.
 *
 * Responsibility: downloads, their retries while the head is away, and the disk space of the files.
 * Not responsible for: the meaning of bundles.
 *
 * Invariants:
 * - BUNDLE-1. A path is returned only if its file has the hash in its name. The hash is checked at the download and
 *   at the first use in this process, because a power loss may have left a truncated file.
 * - BUNDLE-2. Processes that need the same bundle at the same time share one download.
 * - BUNDLE-3. While the head is unreachable, a download is retried for up to retryForMs before it fails.
 * - BUNDLE-5. While a head that is new to the node recovers, a bundle that it does not have delays the download, too:
 *   an earlier head received it, and it may be uploaded again.
 * - BUNDLE-4. Files beyond maxBytes are removed, the least recently used first, but none that was used in the last
 *   ten minutes.
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { backoffMs, type Clock, delay, jittered } from "@palimpsest/std";
import { makeFolder, WholeFile } from "@palimpsest/std/files";
import type { Logger } from "@palimpsest/telemetry";
import { fromGrpcError, isSha256, jobsService, PalimpsestError, type Peer } from "@palimpsest/wire";
import type { BundleChunk } from "@palimpsest/wire/protocol";
import type { Installation } from "../base/installation.js";

const filePattern = /^[0-9a-f]{64}\.(?:mjs|yaml|folder)$/;
const partPattern = /\.part$/;
const downloadTimeoutMs = 60_000;
const backoff = { firstMs: 50, longestMs: 2_000 };
const inUseMs = 600_000;
const extensions = { program: "mjs", recipe: "yaml", folder: "folder" } as const;

export type BundleKind = keyof typeof extensions;

export interface BundleCacheDeps {
  readonly folder: string;
  readonly head: () => Peer;
  readonly installation: Pick<Installation, "linkInto">;
  /** Aborted when the node ends, so that downloads do not delay it. */
  readonly signal: AbortSignal;
  /** The milliseconds for which the head may be away during a download. */
  readonly retryForMs: number;
  /** Returns whether the head has only just begun to lead (BUNDLE-5). Default: never. */
  readonly headRecovers?: () => boolean;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class BundleCache {
  readonly #deps: BundleCacheDeps;
  readonly #fetches = new Map<string, Promise<void>>();
  /** When each file that this process has checked was last used, on the monotonic clock. */
  readonly #usedMs = new Map<string, number>();
  #prepared: Promise<void> | undefined;

  constructor(deps: BundleCacheDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the path of the bundle's file: `.mjs` for a program, `.yaml` for a recipe, `.folder` for a packed working
   * directory.
   * @param signal ends this caller's wait; the download continues for others
   * @throws {PalimpsestError} INVALID_ARGUMENT, NOT_FOUND, UNAVAILABLE after retryForMs, CODEC, CANCELLED
   */
  async fileOf(sha256: string, kind: BundleKind, signal?: AbortSignal): Promise<string> {
    if (!isSha256(sha256)) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `bundle ${JSON.stringify(sha256)} is not a SHA-256 in hex`,
      );
    }
    const path = join(this.#deps.folder, `${sha256}.${extensions[kind]}`);
    let fetched = this.#fetches.get(path);
    if (fetched === undefined) {
      fetched = this.#fetch(sha256, path).finally(() => this.#fetches.delete(path));
      this.#fetches.set(path, fetched);
    }
    await untilAborted(fetched, signal);
    this.#usedMs.set(path, this.#deps.clock.monotonicMs());
    return path;
  }

  async #fetch(sha256: string, path: string): Promise<void> {
    if (await stat(path).catch(() => undefined)) {
      if (this.#usedMs.has(path) || (await hashOf(path)) === sha256) return;
      this.#deps.logger.warn({ path }, "a bundle's file is damaged: it is downloaded again");
      await rm(path, { force: true });
    }
    await this.#prepare();
    await this.#downloadWithRetries(sha256, path);
    await this.#makeRoom(path);
  }

  /** Creates the folder. A failure is not remembered, so that the next bundle tries again. */
  async #prepare(): Promise<void> {
    const { folder, installation } = this.#deps;
    this.#prepared ??= (async () => {
      makeFolder(folder, 0o700);
      const left = (await readdir(folder)).filter((name) => partPattern.test(name));
      await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
      await installation.linkInto(folder);
    })();
    try {
      await this.#prepared;
    } catch (reason) {
      this.#prepared = undefined;
      throw reason;
    }
  }

  async #downloadWithRetries(sha256: string, path: string): Promise<void> {
    const { clock, signal, retryForMs, logger } = this.#deps;
    const deadlineMs = clock.monotonicMs() + retryForMs;
    for (let attempt = 1; ; attempt++) {
      const waitMs = backoffMs(backoff, attempt);
      try {
        await this.#download(sha256, path);
        return;
      } catch (reason) {
        if (signal.aborted) throw new PalimpsestError("CANCELLED", "the node ends", { cause: reason });
        const error = asPassing(PalimpsestError.from(reason));
        // The head may refuse this node for a moment while the cluster's token is being rotated.
        const passing =
          error.retryable ||
          error.code === "UNAUTHENTICATED" ||
          (error.code === "NOT_FOUND" && this.#deps.headRecovers?.() === true);
        if (!passing || clock.monotonicMs() + waitMs > deadlineMs) throw error;
        logger.warn({ err: error, sha256, waitMs }, "bundle not downloaded, will retry");
      }
      // Jittered, so that nodes do not all ask a restarted head at the same moment.
      await delay(jittered(waitMs), signal, clock);
    }
  }

  async #download(sha256: string, path: string): Promise<void> {
    const file = await WholeFile.create(path, 0o600);
    try {
      const hash = await this.#receive(sha256, file);
      if (hash !== sha256) {
        throw new PalimpsestError(
          "CODEC",
          `bundle ${sha256} was received with the hash ${hash}; submit it again`,
        );
      }
      await file.finish();
    } finally {
      await file.discard();
    }
  }

  /** Writes the bundle to the file and returns the hash of the bytes received. */
  async #receive(sha256: string, file: WholeFile): Promise<string> {
    const { head, signal } = this.#deps;
    const hash = createHash("sha256");
    const stream = head().serverStream(
      jobsService.getBundle,
      { sha256 },
      { timeoutMs: downloadTimeoutMs, signal },
    );
    const chunks = (stream as AsyncIterable<BundleChunk.$Properties>)[Symbol.asyncIterator]();
    for (;;) {
      const next = await chunks.next().catch((reason: unknown) => {
        throw fromGrpcError(reason);
      });
      if (next.done) return hash.digest("hex");
      const data = next.value.data ?? new Uint8Array();
      hash.update(data);
      await file.write(data);
    }
  }

  async #makeRoom(justStored: string): Promise<void> {
    const { folder, maxBytes, clock, logger } = this.#deps;
    const now = clock.monotonicMs();
    const files = await Promise.all(
      (await readdir(folder))
        .filter((name) => filePattern.test(name))
        .map(async (name) => {
          const path = join(folder, name);
          const { size, mtimeMs } = (await stat(path).catch(() => undefined)) ?? { size: 0, mtimeMs: 0 };
          return { path, size, mtimeMs, usedMs: this.#usedMs.get(path) };
        }),
    );
    let totalBytes = files.reduce((sum, file) => sum + file.size, 0);
    // Files of an earlier process come first, ordered by age.
    const oldestFirst = files
      .filter(
        ({ path, usedMs }) =>
          path !== justStored && !this.#fetches.has(path) && !(usedMs && now - usedMs < inUseMs),
      )
      .sort((a, b) => (a.usedMs ?? 0) - (b.usedMs ?? 0) || a.mtimeMs - b.mtimeMs);
    for (const { path, size } of oldestFirst) {
      if (totalBytes <= maxBytes) return;
      this.#usedMs.delete(path);
      await rm(path, { force: true }).catch((reason: unknown) => {
        logger.warn({ err: reason, path }, "unused bundle not removed");
      });
      totalBytes -= size;
    }
  }
}

/**
 * Returns the error of a failed download. CANCELLED here means that the head ended and canceled its streams, which is
 * transient.
 */
function asPassing(error: PalimpsestError): PalimpsestError {
  if (error.code !== "CANCELLED") return error;
  return new PalimpsestError("UNAVAILABLE", "the head ended during the download", { cause: error });
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  const chunks: AsyncIterable<Uint8Array> = createReadStream(path);
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}

/** @throws the signal's reason if it is aborted first */
function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const aborted = () => reject(PalimpsestError.from(signal.reason, "CANCELLED"));
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}

/**
 * Responsibility: downloads one file from a server to a path.
 * Not responsible for: choosing files, or access to them.
 *
 * Invariants:
 * - DOWNLOAD-1. `path` exists only with the promised size and digest.
 * - DOWNLOAD-2. Bytes that arrived before a connection broke stay in `path.part` and are not requested again, in this
 *   process or the next.
 * - DOWNLOAD-3. Every wait ends: by bytes, by the silence timeout or by the signal. The number of successive requests
 *   that bring nothing new is bounded.
 *
 * The hub's own client is not used for the bytes: its function that writes files starts over after a broken connection,
 * and the other one returns a Blob, which does not retry.
 */
import type { Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { ModelError } from "../base/error.js";
import { type FileDigest, startDigest } from "./file-digest.js";
import type { HubFetch, HubResponse } from "./hub-fetch.js";
import { isFinal, type RetryPolicy, silenceWatch, waitBeforeRetry } from "./retry.js";

export interface FileDownload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly sizeBytes: number;
  readonly digest: FileDigest;
  readonly retry: RetryPolicy;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes of this file that are on disk. */
  readonly onBytes?: (doneBytes: number) => void;
  /** Default: the global fetch. */
  readonly fetch?: HubFetch | undefined;
}

/** @throws {ModelError} HUB_REFUSED, HUB_NOT_FOUND, HUB_UNREACHABLE, HASH_MISMATCH; the signal's reason */
export async function downloadFile(download: FileDownload): Promise<void> {
  const { path, sizeBytes, digest } = download;
  // Bytes that an earlier process left may be damaged, so a wrong digest gets one more try from the start. When the
  // digest is wrong again, the server sends wrong bytes.
  for (const lastTry of [false, true]) {
    const part = await openPart(download);
    let hex: string;
    try {
      await fill(part, download);
      await part.file.sync();
      hex = part.hash.digest("hex");
    } finally {
      await part.file.close();
    }
    if (hex === digest.hex) return await rename(part.path, path);
    await rm(part.path);
    if (lastTry) {
      const message = `${download.url}: ${sizeBytes} bytes with ${digest.kind} ${hex} but the listing has ${digest.hex}; try again, or use another endpoint`;
      throw new ModelError("HASH_MISMATCH", message);
    }
  }
}

/** The bytes of a file that have arrived so far. */
interface Part {
  readonly path: string;
  readonly file: FileHandle;
  hash: Hash;
  doneBytes: number;
}

async function openPart({ path, sizeBytes, digest }: FileDownload): Promise<Part> {
  const partPath = `${path}.part`;
  const file = await open(partPath, "a");
  const part = { path: partPath, file, hash: startDigest(digest.kind, sizeBytes), doneBytes: 0 };
  const { size } = await file.stat();
  if (size > sizeBytes) await file.truncate(0);
  else if (size > 0) {
    for await (const piece of createReadStream(partPath)) part.hash.update(piece as Buffer);
    part.doneBytes = size;
  }
  return part;
}

async function fill(part: Part, download: FileDownload): Promise<void> {
  const { sizeBytes, retry, signal } = download;
  let failures = 0;
  let furthest = part.doneBytes;
  while (part.doneBytes < sizeBytes) {
    signal?.throwIfAborted();
    const { reason, response } = await fetchRest(part, download);
    if (part.doneBytes >= sizeBytes) return;
    signal?.throwIfAborted();
    failures = part.doneBytes > furthest ? 1 : failures + 1;
    furthest = Math.max(furthest, part.doneBytes);
    if (failures >= retry.attempts) {
      const message = `${download.url}: stopped at byte ${furthest} of ${sizeBytes} (${String(reason)}); repeat the download to continue from there`;
      throw new ModelError("HUB_UNREACHABLE", message, { cause: reason });
    }
    await waitBeforeRetry(retry, failures, response, signal);
  }
}

/**
 * Makes one request for the missing bytes. Returns what ended it early; throws only where another request would not
 * help.
 */
async function fetchRest(
  part: Part,
  download: FileDownload,
): Promise<{ readonly reason?: unknown; readonly response?: HubResponse }> {
  const { url, headers, sizeBytes, digest, retry } = download;
  const watch = silenceWatch(retry.silenceTimeoutMs, download.signal);
  let response: HubResponse | undefined;
  try {
    response = await (download.fetch ?? fetch)(url, {
      method: "GET",
      headers: {
        ...headers,
        "accept-encoding": "identity",
        ...(part.doneBytes > 0 ? { range: `bytes=${part.doneBytes}-` } : {}),
      },
      signal: watch.signal,
    });
    watch.heard();
    if (isFinal(response.status) && response.status !== 416) throw refusal(url, response.status);
    // A server that does not support ranges sends the file from its start; one that refuses our range sends nothing.
    if (part.doneBytes > 0 && response.status !== 206 && (response.ok || response.status === 416)) {
      await part.file.truncate(0);
      part.hash = startDigest(digest.kind, sizeBytes);
      part.doneBytes = 0;
    }
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return { reason: `status ${response.status}`, response };
    }
    for await (const bytes of response.body) {
      watch.heard();
      await append(part, bytes, download);
    }
    return { reason: "the connection ended early", response };
  } catch (reason) {
    if (reason instanceof ModelError) throw reason;
    const cause = reason instanceof Error && reason.cause instanceof Error ? reason.cause : reason;
    return { reason: cause, ...(response === undefined ? {} : { response }) };
  } finally {
    watch.end();
  }
}

async function append(part: Part, bytes: Uint8Array, { url, sizeBytes, onBytes }: FileDownload) {
  if (part.doneBytes + bytes.length > sizeBytes) {
    await rm(part.path, { force: true });
    throw new ModelError(
      "HASH_MISMATCH",
      `${url}: the server sends more than the ${sizeBytes} bytes in the listing`,
    );
  }
  await part.file.appendFile(bytes);
  part.hash.update(bytes);
  part.doneBytes += bytes.length;
  onBytes?.(part.doneBytes);
}

/** Returns the error for a status that a retry does not change, with the fix. */
export function refusal(what: string, status: number): ModelError {
  if (status === 401 || status === 403) {
    const fix = "it is private, gated or missing; check the name, set HF_TOKEN, or accept its license";
    return new ModelError("HUB_REFUSED", `${what}: status ${status}; ${fix}`);
  }
  if (status === 404) {
    return new ModelError("HUB_NOT_FOUND", `${what}: status 404; check the name and the revision`);
  }
  return new ModelError("HUB_UNREACHABLE", `${what}: status ${status}`);
}

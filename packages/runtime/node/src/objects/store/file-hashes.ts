/**
 * Responsibility: SHA-256 of a store's files, computed in threads, so that the node's own thread keeps serving and
 * several files are hashed at once.
 * Not responsible for: what the hash is compared with (object-store.ts).
 *
 * Invariants:
 * - FILEHASH-1. Every requested digest is answered or fails, even if its thread ends.
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { PalimpsestError } from "@palimpsest/wire";
import type { HashAnswer, HashOrder } from "./file-hash-thread.js";

/**
 * The maximum number of threads: one hashes about 1.5 GB per second, and weights of several gigabytes are written by as many writers. On
 * a machine with few cores more than two would not help.
 */
const maxThreads = Math.max(2, Math.min(6, Math.floor(availableParallelism() / 4)));

// Threads run built code, even when tests run this module from its source.
const program = fileURLToPath(new URL("../../../dist/objects/store/file-hash-thread.js", import.meta.url));

/** A file that is hashed while it is being written. */
export interface FileHash {
  /** Reports that this many of its first bytes are written. */
  written(toBytes: number): void;
  /** Returns the digest of that many bytes. @throws {PalimpsestError} UNAVAILABLE if the file cannot be read */
  digest(sizeBytes: number): Promise<string>;
  /** Drops the file because its digest is not needed. */
  forget(): void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, { resolve(sha256: string): void; reject(error: PalimpsestError): void }>;
  files: number;
}

export class FileHashes {
  readonly #threads: Thread[] = [];
  #nextId = 1;

  /** Returns the digest of a whole file. */
  of(path: string, sizeBytes: number): Promise<string> {
    return this.open(path).digest(sizeBytes);
  }

  /** Opens a file in the thread with the fewest files. It ends with digest() or forget(). */
  open(path: string): FileHash {
    const id = this.#nextId++;
    const thread = this.#thread();
    thread.files++;
    let ended = false;
    const order = (rest: Omit<HashOrder, "id" | "path">) => thread.worker.postMessage({ id, path, ...rest });
    const end = () => {
      if (!ended) thread.files--;
      ended = true;
    };
    return {
      written: (toBytes) => order({ toBytes }),
      digest: (sizeBytes) =>
        new Promise<string>((resolve, reject) => {
          thread.waiting.set(id, { resolve, reject });
          order({ toBytes: sizeBytes, end: "digest" });
        }).finally(end),
      forget: () => {
        if (!ended) order({ toBytes: 0, end: "forget" });
        end();
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map(({ worker }) => worker.terminate()));
  }

  #thread(): Thread {
    const idle = this.#threads.find(({ files }) => files === 0);
    if (idle !== undefined) return idle;
    if (this.#threads.length < maxThreads) return this.#start();
    return this.#threads.reduce((least, thread) => (thread.files < least.files ? thread : least));
  }

  #start(): Thread {
    const worker = new Worker(program);
    const thread: Thread = { worker, waiting: new Map(), files: 0 };
    this.#threads.push(thread);
    // An idle thread must not keep the node's process running.
    worker.unref();
    worker.on("message", ({ id, sha256, error }: HashAnswer) => {
      const waiting = thread.waiting.get(id);
      thread.waiting.delete(id);
      if (sha256 !== undefined) waiting?.resolve(sha256);
      else waiting?.reject(unreadable(error ?? ""));
    });
    const ended = (why: string) => {
      const index = this.#threads.indexOf(thread);
      if (index >= 0) this.#threads.splice(index, 1);
      for (const { reject } of thread.waiting.values()) reject(unreadable(why));
      thread.waiting.clear();
    };
    worker.on("error", (reason) => ended(String(reason)));
    worker.on("exit", () => ended("its thread ended"));
    return thread;
  }
}

function unreadable(why: string): PalimpsestError {
  return new PalimpsestError("UNAVAILABLE", `a file of the object store cannot be hashed: ${why}`);
}

/**
 * Responsibility: knows which objects the learners of a run have put and not released, across their restarts: an actor
 *   that starts again is the same holder, so nothing else would end what the process before it put.
 * Not responsible for: which versions are needed (held-weights.ts).
 *
 * Invariants:
 * - PUT-1. An object is noted on disk before it is put, and until it is released: at most too much is noted.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { durableFiles } from "@palimpsest/learner";
import { z } from "zod";
import type { ObjectLocation } from "./weights.js";

const notesSchema = z.array(
  z.object({ objectId: z.string().regex(/^[0-9a-f]{64}$/), sizeBytes: z.int().nonnegative() }),
);

type OnDisk = (write: () => Promise<void>) => Promise<void>;

interface WeightObjects {
  put(pieces: readonly Uint8Array[]): Promise<ObjectLocation>;
  release(locations: readonly ObjectLocation[], options: { readonly timeoutMs: number }): Promise<void>;
}

export class PutWeights {
  readonly #objects: WeightObjects;
  readonly #path: string;
  readonly #onDisk: OnDisk;
  readonly #noted: Map<string, ObjectLocation>;
  readonly #left: ObjectLocation[];

  private constructor(objects: WeightObjects, path: string, onDisk: OnDisk, left: ObjectLocation[]) {
    this.#objects = objects;
    this.#path = path;
    this.#onDisk = onDisk;
    this.#left = left;
    this.#noted = new Map(left.map((location) => [location.objectId, location]));
  }

  /**
   * @param path of the notes; a file that is damaged counts as none: what it named ends with the run
   * @param onDisk waits for space on the disk
   */
  static async open(objects: WeightObjects, path: string, onDisk: OnDisk): Promise<PutWeights> {
    await mkdir(dirname(path), { recursive: true });
    const text = await readFile(path, "utf8").catch(() => "[]");
    return new PutWeights(objects, path, onDisk, parseNotes(text));
  }

  /** What the processes before this one left, the first time; nothing later. */
  takeLeft(): readonly ObjectLocation[] {
    return this.#left.splice(0);
  }

  async put(pieces: readonly Uint8Array[]): Promise<ObjectLocation> {
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for (const piece of pieces) {
      hash.update(piece);
      sizeBytes += piece.byteLength;
    }
    const objectId = hash.digest("hex");
    if (!this.#noted.has(objectId)) {
      await this.#write([...this.#noted.values(), { objectId, sizeBytes }]);
      this.#noted.set(objectId, { objectId, sizeBytes });
    }
    return await this.#objects.put(pieces);
  }

  async release(
    locations: readonly ObjectLocation[],
    options: { readonly timeoutMs: number },
  ): Promise<void> {
    await this.#objects.release(locations, options);
    // Written with the next put.
    for (const { objectId } of locations) this.#noted.delete(objectId);
  }

  async #write(notes: readonly ObjectLocation[]): Promise<void> {
    const passing = `${this.#path}.part`;
    await this.#onDisk(() => durableFiles.write(passing, Buffer.from(JSON.stringify(notes))));
    await durableFiles.rename(passing, this.#path);
    await durableFiles.syncFolder(dirname(this.#path));
  }
}

function parseNotes(text: string): ObjectLocation[] {
  try {
    return notesSchema.parse(JSON.parse(text));
  } catch {
    return [];
  }
}

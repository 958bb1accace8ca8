/**
 * Responsibility: knows which objects the learners of a run have put and not released, across their restarts. A
 *   restarted actor is the same owner, so nothing else would release what its previous process has put.
 * Not responsible for: which versions are needed (held-weights.ts).
 *
 * Invariants:
 * - PUT-1. An object's id is on disk before the learner becomes its owner, and stays there until the object is
 *   released. After a crash the file may therefore name objects that are already released, but never misses one that
 *   has to be. An object without an owner is a mere copy, which the store may evict.
 */

import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder, replaceFile } from "@palimpsest/std/files";
import { isSha256 } from "@palimpsest/wire";
import { z } from "zod";
import type { ObjectLocation } from "./object-location.js";

const notesSchema = z.array(
  z.object({ objectId: z.string().refine(isSha256), sizeBytes: z.int().nonnegative() }),
);

type OnDisk = (write: () => Promise<void>) => Promise<void>;

interface WeightObjects {
  /** With holder "" the object has no owner. */
  put(pieces: readonly Uint8Array[], options: { readonly holder: "" }): Promise<ObjectLocation>;
  hold(location: ObjectLocation): Promise<unknown>;
  release(locations: readonly ObjectLocation[], options: { readonly timeoutMs: number }): Promise<void>;
}

export class PutWeights {
  readonly #objects: WeightObjects;
  readonly #path: string;
  readonly #onDisk: OnDisk;
  readonly #noted: Map<string, ObjectLocation>;
  /** Ids of the objects whose notes are on disk. */
  readonly #written: Set<string>;
  readonly #left: ObjectLocation[];
  #lastWrite: Promise<void> = Promise.resolve();
  /** The write that begins when the current one has ended, and that includes everything noted until then. */
  #nextWrite: Promise<void> | undefined;

  private constructor(objects: WeightObjects, path: string, onDisk: OnDisk, left: ObjectLocation[]) {
    this.#objects = objects;
    this.#path = path;
    this.#onDisk = onDisk;
    this.#left = left;
    this.#noted = new Map(left.map((location) => [location.objectId, location]));
    this.#written = new Set(this.#noted.keys());
  }

  /**
   * @param path file of the notes; a damaged file counts as missing, and the objects that it named are released when
   *   the run ends
   * @param onDisk waits for space on the disk
   */
  static async open(objects: WeightObjects, path: string, onDisk: OnDisk): Promise<PutWeights> {
    makeFolder(dirname(path));
    const text = await readFile(path, "utf8").catch(() => "[]");
    return new PutWeights(objects, path, onDisk, parseNotes(text));
  }

  /** Returns the objects that earlier processes left; empty after the first call. */
  takeLeft(): readonly ObjectLocation[] {
    return this.#left.splice(0);
  }

  async put(pieces: readonly Uint8Array[]): Promise<ObjectLocation> {
    const location = await this.#objects.put(pieces, { holder: "" });
    this.#noted.set(location.objectId, location);
    if (!this.#written.has(location.objectId)) await this.#note();
    await this.#objects.hold(location);
    return location;
  }

  async release(
    locations: readonly ObjectLocation[],
    options: { readonly timeoutMs: number },
  ): Promise<void> {
    await this.#objects.release(locations, options);
    // The notes are written to disk with the next put.
    for (const { objectId } of locations) {
      this.#noted.delete(objectId);
      this.#written.delete(objectId);
    }
  }

  /** Writes the notes; concurrent puts share one write. */
  #note(): Promise<void> {
    this.#nextWrite ??= this.#lastWrite
      .catch(() => undefined)
      .then(() => {
        this.#nextWrite = undefined;
        this.#lastWrite = this.#write([...this.#noted.values()]);
        return this.#lastWrite;
      });
    return this.#nextWrite;
  }

  async #write(notes: readonly ObjectLocation[]): Promise<void> {
    await this.#onDisk(() => replaceFile(this.#path, JSON.stringify(notes)));
    for (const { objectId } of notes) if (this.#noted.has(objectId)) this.#written.add(objectId);
  }
}

function parseNotes(text: string): ObjectLocation[] {
  try {
    return notesSchema.parse(JSON.parse(text));
  } catch {
    return [];
  }
}

/**
 * Responsibility: knows which objects the learners of a run have put and not released, across their restarts: an actor
 *   that starts again is the same holder, so nothing else would end what the process before it put.
 * Not responsible for: which versions are needed (held-weights.ts).
 *
 * Invariants:
 * - PUT-1. An object is noted on disk before it is held, and until it is released: at most too much is noted. Until it is
 *   held it is a copy, which makes room by itself.
 */

import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { durableFiles } from "@palimpsest/learner";
import { isSha256 } from "@palimpsest/wire";
import { z } from "zod";
import type { ObjectLocation } from "./object-location.js";

const notesSchema = z.array(
  z.object({ objectId: z.string().refine(isSha256), sizeBytes: z.int().nonnegative() }),
);

type OnDisk = (write: () => Promise<void>) => Promise<void>;

interface WeightObjects {
  /** Holder "": nobody. */
  put(pieces: readonly Uint8Array[], options: { readonly holder: "" }): Promise<ObjectLocation>;
  hold(location: ObjectLocation): Promise<unknown>;
  release(locations: readonly ObjectLocation[], options: { readonly timeoutMs: number }): Promise<void>;
}

export class PutWeights {
  readonly #objects: WeightObjects;
  readonly #path: string;
  readonly #onDisk: OnDisk;
  readonly #noted: Map<string, ObjectLocation>;
  /** Noted ones that are on the disk. */
  readonly #written: Set<string>;
  readonly #left: ObjectLocation[];
  #lastWrite: Promise<void> = Promise.resolve();
  /** Begins when the one before has ended, and takes everything that was noted until then. */
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
    // Written with the next put.
    for (const { objectId } of locations) {
      this.#noted.delete(objectId);
      this.#written.delete(objectId);
    }
  }

  /** Several puts at once share one write. */
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
    const passing = `${this.#path}.part`;
    await this.#onDisk(() => durableFiles.write(passing, Buffer.from(JSON.stringify(notes))));
    await durableFiles.rename(passing, this.#path);
    await durableFiles.syncFolder(dirname(this.#path));
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

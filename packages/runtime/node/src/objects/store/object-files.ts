/**
 * Responsibility: the files of a store: written under a temporary name, kept under the object's name, removed.
 * Not responsible for: which objects there are (object-store.ts).
 *
 * Invariants:
 * - FILES-1. Files of one name are kept and removed one after the other, in the order of the requests: a removal
 *   never affects a file that was kept after it.
 * - FILES-2. A file that is linked into the stores of several nodes is never reused for other bytes.
 * - FILES-3. Nor is a file in memory where this process cannot tell whether it is mapped: programs of a node that can map
 *   files may still have it mapped after that node has removed its link.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ObjectDisk, ObjectFile, OpenedObject, PlacedFile } from "./object-disk.js";
import { TurnBudget } from "./turn-budget.js";

/** A name is changed in some 20 µs. */
const removalsPerTurn = 200;

export class ObjectFiles {
  readonly folder: string;
  readonly #disk: ObjectDisk;
  /** Whether programs may map the files. */
  readonly isMappable: boolean;
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #removals = new TurnBudget(removalsPerTurn);
  #leavingBytes = 0;

  private constructor(folder: string, disk: ObjectDisk) {
    this.folder = folder;
    this.#disk = disk;
    this.isMappable = disk.canMapIn(folder);
  }

  /** Whether the files of freed objects may be written again (FILES-3). */
  get areReusable(): boolean {
    return this.isMappable || !this.#disk.isInMemory;
  }

  /** Opens the folder and empties it. */
  static async open(folder: string, disk: ObjectDisk): Promise<ObjectFiles> {
    await disk.makeFolder(folder);
    return new ObjectFiles(folder, disk);
  }

  pathOf(objectId: string): string {
    return join(this.folder, objectId);
  }

  async create(
    temporary = this.temporaryName(),
  ): Promise<{ readonly file: ObjectFile; readonly temporary: string }> {
    return { file: await this.#disk.create(temporary), temporary };
  }

  /** Opens a file under a temporary name, to be written at any position. */
  openToWrite(temporary: string): Promise<PlacedFile> {
    return this.#disk.openToWrite(temporary);
  }

  /** Opens an object for reading. A file that is removed in the meantime can still be read to its end. */
  openObject(objectId: string): Promise<OpenedObject> {
    return this.#disk.open(this.pathOf(objectId));
  }

  async discard(temporary: string): Promise<void> {
    await this.#disk.remove(temporary);
  }

  /** Returns a name under which a program on this machine may write. */
  temporaryName(suffix = "part"): string {
    return join(this.folder, `${randomUUID()}.${suffix}`);
  }

  sizeOf(path: string): Promise<number | undefined> {
    return this.#disk.sizeOf(path);
  }

  /** Whether no program has the file mapped. Unless its name is one that no program knows, one may map it next. */
  isUnmapped(path: string): boolean {
    return !this.isMappable || this.#disk.isUnmapped(path);
  }

  resize(path: string, sizeBytes: number): Promise<void> {
    return this.#disk.resize(path, sizeBytes);
  }

  /** Links the file of another store under a temporary name. Resolves to false if that is impossible. */
  adopt(from: string, temporary: string, sizeBytes: number): Promise<boolean> {
    return this.#disk.adopt(from, temporary, sizeBytes);
  }

  /** Does `work` after earlier work on that name (FILES-1). */
  inTurn<T>(objectId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(objectId) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#turns.set(objectId, turn);
    const forget = () => {
      if (this.#turns.get(objectId) === turn) this.#turns.delete(objectId);
    };
    turn.then(forget, forget);
    return turn;
  }

  /** Renames a complete file to its object's name. It must be called inside a turn (FILES-1). */
  async keep(temporary: string, objectId: string): Promise<void> {
    await this.#disk.rename(temporary, this.pathOf(objectId));
  }

  /** The number of bytes of files that remove() has not removed yet. */
  get leavingBytes(): number {
    return this.#leavingBytes;
  }

  /** Removes the file, which is there no longer when settled() resolves. */
  remove(objectId: string, sizeBytes: number): void {
    this.#leavingBytes += sizeBytes;
    const removed = this.inTurn(objectId, async () => {
      await this.#removals.taken();
      await this.#disk.remove(this.pathOf(objectId));
    });
    const left = () => {
      this.#leavingBytes -= sizeBytes;
    };
    removed.then(left, left);
  }

  /**
   * Removes the object's file as remove() does, but lets the file continue under a temporary name, unless another store
   * has it too (FILES-2).
   */
  removeFor(objectId: string): { readonly path: string; readonly renamed: Promise<boolean> } {
    const path = this.temporaryName("free");
    const renamed = this.inTurn(objectId, async () => {
      await this.#removals.taken();
      await this.#disk.rename(this.pathOf(objectId), path);
      // After the rename no other store can link it any more.
      if ((await this.#disk.linksOf(path)) === 1) return true;
      await this.#disk.remove(path);
      return false;
    });
    return { path, renamed: renamed.catch(() => false) };
  }

  /** Resolves when all work requested so far has ended, successfully or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#turns.values());
  }

  async close(): Promise<void> {
    await this.settled();
    await this.#disk.removeFolder(this.folder);
  }
}

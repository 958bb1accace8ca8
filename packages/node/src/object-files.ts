/**
 * Responsibility: the files of a store: written under a passing name, kept under the object's, removed.
 * Not responsible for: which objects there are (object-store.ts).
 *
 * Invariants:
 * - FILES-1. Keeping and removing files of one name happen one after the other, in the order in which they were asked
 *   for: a removal never takes a file that was kept after it.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";

export class ObjectFiles {
  readonly folder: string;
  readonly #turns = new Map<string, Promise<unknown>>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Empties the folder. */
  static async open(folder: string): Promise<ObjectFiles> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new ObjectFiles(folder);
  }

  pathOf(objectId: string): string {
    return join(this.folder, objectId);
  }

  async create(): Promise<{ readonly file: FileHandle; readonly temporary: string }> {
    const temporary = join(this.folder, `${randomUUID()}.part`);
    return { file: await open(temporary, "wx", 0o600), temporary };
  }

  async discard(temporary: string): Promise<void> {
    await rm(temporary, { force: true });
  }

  /** Does `work` when earlier work on that name is done (FILES-1). */
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

  /** Inside a turn. */
  async keep(temporary: string, objectId: string): Promise<void> {
    await rename(temporary, this.pathOf(objectId));
  }

  remove(objectId: string): void {
    void this.inTurn(objectId, () => rm(this.pathOf(objectId), { force: true })).catch(() => undefined);
  }

  /** Settles when everything asked for until now is done, well or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#turns.values());
  }

  async close(): Promise<void> {
    await this.settled();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * Responsibility: how the results that this program refers to were created by its tasks, and their reconstruction
 * when every copy is lost.
 * Not responsible for: running tasks (task-pool.ts), or reading values (value-store.ts).
 *
 * Invariants:
 * - LINEAGE-1. Whatever is needed to run a task again, including the arguments that it refers to, is kept while this
 *   program refers to its result, up to `maxBytes` for all results; the oldest are forgotten first.
 * - LINEAGE-2. A lost result is reconstructed under its own name, once for all waiters. Arguments that are lost too
 *   are reconstructed first.
 * - LINEAGE-3. Reconstructing a result uses one of the retries of its task. Stored values and results of actors are
 *   never reconstructed.
 * - LINEAGE-4. A result of another program's task is reconstructed by that program, its owner, as long as the owner
 *   lives and refers to the result (owner-recoveries.ts). A request that the owner receives is not passed on to other
 *   programs.
 */
import { OldestFirstMap, PalimpsestError } from "@palimpsest/wire";
import type { ObjectRef } from "./object-ref.js";

const defaultMaxBytes = 1024 * 1024 * 1024;

/** How one result was created. */
export interface TaskRecipe {
  /** The function's name, for messages. */
  readonly name: string;
  /** The values that it keeps: its arguments, and the values that they refer to. */
  readonly sizeBytes: number;
  readonly argumentRefs: readonly ObjectRef[];
  readonly retriesLeft: number;
  /**
   * Runs the task again, and resolves when the result is on a node under that name.
   * @returns the retries that are then left
   */
  run(resultId: string, retries: number): Promise<number>;
  /** Releases the arguments. */
  release(): void;
}

interface Entry {
  readonly recipe: TaskRecipe;
  retriesLeft: number;
  recovering: Promise<void> | undefined;
}

export interface TaskLineageDeps {
  /** Makes those values available on a node; `recover` reconstructs the others. */
  readonly ensure: (refs: readonly ObjectRef[], recover: (ref: ObjectRef) => Promise<void>) => Promise<void>;
  readonly isThere: (objectId: string) => Promise<boolean>;
  /** Requests the reconstruction from the owner; undefined if there is no other owner. */
  readonly askOwner?: (objectId: string) => ((why: PalimpsestError) => Promise<void>) | undefined;
  readonly maxBytes?: number;
}

export class TaskLineage {
  readonly #deps: TaskLineageDeps;
  readonly #entries = new OldestFirstMap<string, Entry>();
  #bytes = 0;

  constructor(deps: TaskLineageDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#entries.size;
  }

  record(objectId: string, recipe: TaskRecipe): void {
    const { maxBytes = defaultMaxBytes } = this.#deps;
    this.ended(objectId);
    this.#entries.set(objectId, { recipe, retriesLeft: recipe.retriesLeft, recovering: undefined });
    this.#bytes += recipe.sizeBytes;
    while (this.#bytes > maxBytes && this.#entries.oldest !== undefined) this.ended(this.#entries.oldest);
  }

  /** Returns whether it is the result of a task of this program whose lineage is still known. */
  isOwn(objectId: string): boolean {
    return this.#entries.has(objectId);
  }

  /** Returns whether any program can reconstruct it. */
  knows(objectId: string): boolean {
    return this.#entries.has(objectId) || this.#deps.askOwner?.(objectId) !== undefined;
  }

  /** Records that this program no longer refers to the result. */
  ended(objectId: string): void {
    const entry = this.#entries.get(objectId);
    if (entry === undefined) return;
    this.#entries.delete(objectId);
    this.#bytes -= entry.recipe.sizeBytes;
    entry.recipe.release();
  }

  /**
   * Resolves when it is available again.
   * @param why it is needed
   * @throws {PalimpsestError} OBJECT_LOST, the error that the task threw
   */
  async recover(objectId: string, why: PalimpsestError): Promise<void> {
    const ask = this.#entries.has(objectId) ? undefined : this.#deps.askOwner?.(objectId);
    await (ask ? ask(why) : this.recoverOwn(objectId, why));
  }

  /** Reconstructs as recover() does, but only results of this program's own tasks. */
  async recoverOwn(objectId: string, why: PalimpsestError): Promise<void> {
    const entry = this.#entries.get(objectId);
    if (entry === undefined)
      throw notAgain(
        why,
        "only results of tasks are reconstructed, by the program that ran them and as long as it refers to them; this one was stored with put, is the result of an actor, or its lineage is no longer known",
      );
    entry.recovering ??= this.#recover(objectId, entry, why).finally(() => {
      entry.recovering = undefined;
    });
    await entry.recovering;
  }

  async #recover(objectId: string, entry: Entry, why: PalimpsestError): Promise<void> {
    const { isThere, ensure } = this.#deps;
    // It was reconstructed for another caller since it was found missing.
    if (await isThere(objectId)) return;
    const { name, argumentRefs, run } = entry.recipe;
    if (entry.retriesLeft <= 0)
      throw notAgain(why, `${name}, whose result it is, has used its retries: raise maxRetries`);
    entry.retriesLeft--;
    await ensure(argumentRefs, (ref) => this.recover(ref.objectId, why));
    entry.retriesLeft = await run(objectId, entry.retriesLeft);
  }
}

/** Returns the object whose loss caused an error. */
export function lostObjectOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (!(at instanceof PalimpsestError) || at.code !== "OBJECT_LOST") continue;
    const objectId = at.details["objectId"];
    return typeof objectId === "string" ? objectId : undefined;
  }
  return undefined;
}

export function notAgain(lost: PalimpsestError, because: string): PalimpsestError {
  return new PalimpsestError("OBJECT_LOST", `${lost.rawMessage}; ${because}`, {
    cause: lost,
    details: lost.details,
  });
}

/**
 * Responsibility: how the results of tasks that this program refers to were made, and has them made again when every copy
 *   is lost.
 * Not responsible for: running tasks (task-pool.ts), reading values (value-store.ts).
 *
 * Invariants:
 * - LINEAGE-1. What is needed to run a task again is kept while this program refers to its result, the arguments that
 *   it refers to with it; of all results at most `maxBytes`, the oldest are forgotten first.
 * - LINEAGE-2. A lost result is made again under its own name, once for all who wait for it. Arguments that are lost too
 *   are made again before.
 * - LINEAGE-3. To make a result again uses one of the retries of its task. Values that were put and results of actors are
 *   never made again.
 * - LINEAGE-4. A result of another program's task is made again by that program, its owner, as long as it lives and refers to
 *   the result (owner-recoveries.ts). What it is asked for is not asked of anybody else.
 */
import { OldestFirstMap, PalimpsestError } from "@palimpsest/wire";
import type { ObjectRef } from "./object-ref.js";

const defaultMaxBytes = 1024 * 1024 * 1024;

/** How one result was made. */
export interface TaskRecipe {
  /** For messages. */
  readonly name: string;
  /** What it keeps: its arguments, and values that they refer to. */
  readonly sizeBytes: number;
  readonly argumentRefs: readonly ObjectRef[];
  readonly retriesLeft: number;
  /** Settles when the result lies on a node under that name. @returns the retries that are left then */
  run(resultId: string, retries: number): Promise<number>;
  /** Lets go of the arguments. */
  release(): void;
}

interface Entry {
  readonly recipe: TaskRecipe;
  retriesLeft: number;
  recovering: Promise<void> | undefined;
}

export interface TaskLineageDeps {
  /** Has those values lie on a node that can be had again; others are made by `recover`. */
  readonly ensure: (refs: readonly ObjectRef[], recover: (ref: ObjectRef) => Promise<void>) => Promise<void>;
  readonly isThere: (objectId: string) => Promise<boolean>;
  /** Asks the program that can make it; undefined: there is no other one. */
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

  /** Whether it is the result of a task of this program, which is known still. */
  isOwn(objectId: string): boolean {
    return this.#entries.has(objectId);
  }

  /** Whether somebody can make it again. */
  knows(objectId: string): boolean {
    return this.#entries.has(objectId) || this.#deps.askOwner?.(objectId) !== undefined;
  }

  /** Nobody here refers to the result any more. */
  ended(objectId: string): void {
    const entry = this.#entries.get(objectId);
    if (entry === undefined) return;
    this.#entries.delete(objectId);
    this.#bytes -= entry.recipe.sizeBytes;
    entry.recipe.release();
  }

  /** Settles when it is there again. @param why it is needed @throws {PalimpsestError} OBJECT_LOST, what the task threw */
  async recover(objectId: string, why: PalimpsestError): Promise<void> {
    const ask = this.#entries.has(objectId) ? undefined : this.#deps.askOwner?.(objectId);
    await (ask ? ask(why) : this.recoverOwn(objectId, why));
  }

  /** As recover(), of results of this program's own tasks. */
  async recoverOwn(objectId: string, why: PalimpsestError): Promise<void> {
    const entry = this.#entries.get(objectId);
    if (entry === undefined)
      throw notAgain(
        why,
        "only results of tasks are computed again, by the program that ran them as long as it refers to them; it was put, is the result of an actor, or how it was made is not kept any more",
      );
    entry.recovering ??= this.#recover(objectId, entry, why).finally(() => {
      entry.recovering = undefined;
    });
    await entry.recovering;
  }

  async #recover(objectId: string, entry: Entry, why: PalimpsestError): Promise<void> {
    const { isThere, ensure } = this.#deps;
    // Somebody else had it made since it was missed.
    if (await isThere(objectId)) return;
    const { name, argumentRefs, run } = entry.recipe;
    if (entry.retriesLeft <= 0)
      throw notAgain(why, `${name}, whose result it is, has used its retries: raise maxRetries`);
    entry.retriesLeft--;
    await ensure(argumentRefs, (ref) => this.recover(ref.objectId, why));
    entry.retriesLeft = await run(objectId, entry.retriesLeft);
  }
}

/** The object whose loss is the reason of an error. */
export function lostObjectOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof PalimpsestError && at.code === "OBJECT_LOST") return at.details["objectId"];
  return undefined;
}

export function notAgain(lost: PalimpsestError, because: string): PalimpsestError {
  return new PalimpsestError("OBJECT_LOST", `${lost.rawMessage}; ${because}`, {
    cause: lost,
    details: lost.details,
  });
}

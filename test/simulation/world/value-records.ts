/**
 * Responsibility: which values were put or made, and what explains that one of them cannot be had; checks what is read
 *   against what values promise.
 * Not responsible for: values at rest (../invariants/values.ts).
 */
import type { PalimpsestError } from "@palimpsest/wire";
import { short } from "./object-records.js";
import type { World } from "./world.js";

/** What a value says of itself, and padding that makes some of them large. */
export interface ValueBody {
  readonly key: string;
  readonly padding: Uint8Array;
}

export interface KnownValue {
  readonly key: string;
  readonly objectId: string;
  /** Before it was there. */
  readonly createdMs: number;
  /** The session whose program makes it again when it is lost. */
  readonly remadeBy?: string;
}

/** A small value travels in messages, a large one is stored on the node where it is made. */
export function bodyOf(key: string, isLarge: boolean): ValueBody {
  return { key, padding: new Uint8Array(isLarge ? 110_000 : 100) };
}

const expected: ReadonlySet<string> = new Set([
  "OBJECT_LOST",
  "OBJECT_STORE_FULL",
  "UNAVAILABLE",
  "GET_TIMEOUT",
  "CANCELLED",
]);
/** Further ends of a task that makes a value again. */
const taskEnds: ReadonlySet<string> = new Set(["WORKER_DIED", "TASK_ERROR", "OWNER_DIED"]);

export class ValueRecords {
  readonly #world: World;
  /** When a node ended, or a head took one for dead, last. */
  nodeLostMs = Number.NEGATIVE_INFINITY;

  /** Since when an actor's process surely refers to a value: its caller was told so. */
  readonly #given = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** CALLVALUES-1: what came with a call that was answered is held for the process that it ran in. */
  given(holder: string, objectId: string): void {
    this.#given.set(`${holder} ${objectId}`, this.#world.scheduler.nowMs);
  }

  givenMs(holder: string, objectId: string): number | undefined {
    return this.#given.get(`${holder} ${objectId}`);
  }

  /** VALUES-2: what was read is what was put. */
  read(who: string, { key, objectId }: KnownValue, body: unknown): void {
    const { records } = this.#world;
    const read = (body as Partial<ValueBody> | undefined)?.key;
    if (read !== key)
      records.violation("VALUES-2", `${who} read ${short(objectId)} of ${key}, and it says ${read}`);
    records.counts.values++;
  }

  /**
   * REF-1: what a program refers to can be had while no node is lost; LINEAGE-2: or it is made again.
   * @param holder of the program that read it
   * @param sinceMs since when it surely referred to it
   */
  notRead(who: string, holder: string, value: KnownValue, error: PalimpsestError, sinceMs: number): void {
    const { records, objects, story } = this.#world;
    const { key, objectId, createdMs, remadeBy } = value;
    const text = `${who} refers to ${key} (${short(objectId)}) since ${sinceMs.toFixed(0)} ms and cannot read it: ${error.message}`;
    story.tell(who, () => text);
    const isMade = remadeBy !== undefined;
    if (!expected.has(error.code) && !(isMade && taskEnds.has(error.code))) records.violation("ERRORS", text);
    if (error.code !== "OBJECT_LOST" || objects.endedHolders.has(holder)) return;
    if (this.nodeLostMs < createdMs) records.violation("REF-1", text);
    else if (remadeBy === holder && !error.message.includes("retries") && this.nodeLostMs < sinceMs)
      records.violation("LINEAGE-2", text);
  }
}

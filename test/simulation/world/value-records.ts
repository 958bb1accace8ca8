/**
 * Responsibility: records which values were put or made, and what explains that one of them cannot be read; checks what
 * is read against what values promise. Not responsible for: values at rest (../invariants/values.ts).
 */
import type { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Arrival } from "./connection.js";
import { short } from "./object-records.js";
import type { World } from "./world.js";

/** What a value says about itself, and padding that makes some of them large. */
export interface ValueBody {
  readonly key: string;
  readonly padding: Uint8Array;
}

export interface KnownValue {
  readonly key: string;
  readonly objectId: string;
  /** A time before it existed. */
  readonly createdMs: number;
  /** The session whose program recomputes it when it is lost. */
  readonly remadeBy?: string;
}

/** A small value travels in messages, a large one is stored on the node where it is made. */
export function bodyOf(key: string, isLarge: boolean): ValueBody {
  return { key, padding: new Uint8Array(isLarge ? 110_000 : 100).fill(1) };
}

const expected: ReadonlySet<string> = new Set([
  "OBJECT_LOST",
  "OBJECT_STORE_FULL",
  "UNAVAILABLE",
  "GET_TIMEOUT",
  "CANCELLED",
  // Whether the session has ended for a reason is checked where it ends (OWNER-1).
  "OWNER_DIED",
]);
/** Further outcomes of a task that recomputes a value. */
const taskEnds: ReadonlySet<string> = new Set(["WORKER_DIED", "TASK_ERROR"]);

function tellOrder(
  { hello, hold, release, withdraw, store, seal, recover }: proto.ObjectOrder.$Properties,
  tell: (what: string, ids: readonly Uint8Array[] | null | undefined) => void,
): void {
  if (hello) tell(`hello of ${hello.holder}, which holds`, hello.objectIds);
  if (hold) tell("hold", hold.objectIds);
  if (release) tell("release", release.objectIds);
  if (withdraw) tell("withdraw", withdraw.objectIds);
  if (store?.objectId) tell("store", [store.objectId]);
  if (seal?.objectId) tell("seal", [seal.objectId]);
  if (recover?.objectId) tell(`recover, of ${recover.ownerId}`, [recover.objectId]);
}

export class ValueRecords {
  readonly #world: World;
  /** The last time when a node ended, fenced its processes, or was declared dead by a head. */
  nodeLostMs = Number.NEGATIVE_INFINITY;

  /** Results that a program has, by the task that made them. */
  readonly #made = new Map<string, string>();

  /** Values whose programs have forgotten how they were made. */
  readonly #forgotten = new Set<string>();

  /** The time since when an actor's process certainly refers to a value, because its caller was told so. */
  readonly #given = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Tells the story of every order about values that arrives. */
  arrived({ method, toServer, body, from, to }: Arrival): void {
    const { story } = this.#world;
    if (!story.keeps) return;
    const { dropObjects } = body as proto.HeadMessage.$Properties;
    if (!toServer && dropObjects) {
      const dropped = (dropObjects.objects ?? []).map(
        ({ sha256, revision }) => `${short(Buffer.from(sha256 ?? []).toString("hex"))} up to ${revision}`,
      );
      story.tell(to.name, () => `is told to drop for ${dropObjects.holder}: ${dropped.join(", ")}`);
    }
    if (!toServer) return;
    if (method === "Head.FreeObjects") {
      const { objectIds, holder } = body as proto.FreeObjectsRequest.$Properties;
      const values = (objectIds ?? []).map(short);
      story.tell(to.name, () => `is told by ${from.name}: free for ${holder} ${values.join(" ")}`);
    }
    const tell = (what: string, ids: readonly Uint8Array[] | null | undefined) => {
      const values = (ids ?? []).map((id) => short(Buffer.from(id).toString("hex")));
      story.tell(to.name, () => `is told by ${from.name}: ${what} ${values.join(" ")}`);
    };
    if (method === "Objects.Link")
      for (const order of (body as proto.ObjectOrders.$Properties).orders ?? []) tellOrder(order, tell);
    if (method === "Objects.Hold") {
      const { objectIds, holder } = body as proto.HoldRequest.$Properties;
      tell(`hold for ${holder}`, objectIds);
    }
  }

  /** CALLVALUES-1: what came with an answered call is held for the process in which the call ran. */
  given(holder: string, objectId: string): void {
    this.#given.set(`${holder} ${objectId}`, this.#world.scheduler.nowMs);
  }

  givenMs(holder: string, objectId: string): number | undefined {
    return this.#given.get(`${holder} ${objectId}`);
  }

  /** Records that the task was answered with a result that is stored on a node. */
  made({ key, objectId }: KnownValue): void {
    this.#made.set(key, objectId);
  }

  /** LINEAGE-2: an answered result is recomputed when no node has it, and not before. */
  executed(key: string): void {
    const objectId = this.#made.get(key);
    if (objectId === undefined) return;
    // Later runs may be a retry of the reconstruction, whose own result exists already.
    this.#made.delete(key);
    const { nodes, objects, records } = this.#world;
    const node = nodes.find(
      ({ nodeId, over, store }) =>
        !over && !objects.takenForDeadMs.has(nodeId) && store?.find(objectId) !== undefined,
    );
    if (node) records.violation("LINEAGE-2", `${key} runs again, whose result ${node.nodeId} has`);
  }

  /**
   * Records that the program that could recompute it released it: programs that get it back from others cannot
   * (LINEAGE-1).
   */
  letGo(objectId: string): void {
    this.#forgotten.add(objectId);
  }

  /** VALUES-2: what was read is what was put. */
  read(who: string, { key, objectId }: KnownValue, body: unknown): void {
    const { records } = this.#world;
    const read = body as Partial<ValueBody> | undefined;
    if (read?.key !== key || read.padding?.at(-1) !== 1)
      records.violation("VALUES-2", `${who} read ${short(objectId)} of ${key}, and it says ${read?.key}`);
    records.counts.values++;
  }

  /**
   * REF-1: what a program refers to can be read while no node is lost; LINEAGE-2: otherwise it is recomputed.
   * @param holder of the program that read it
   * @param sinceMs the time since which it certainly referred to it
   */
  notRead(who: string, holder: string, value: KnownValue, error: PalimpsestError, sinceMs: number): void {
    const { records, objects, story } = this.#world;
    const { key, objectId, createdMs, remadeBy } = value;
    const text = `${who} refers to ${key} (${short(objectId)}) since ${sinceMs.toFixed(0)} ms and cannot read it: ${error.message}`;
    story.tell(who, () => text);
    // Its program recomputes any result that was stored on a node, even if it cannot make the arguments again.
    const isMade = remadeBy !== undefined || key.includes("/made-");
    const mayRemake = remadeBy === holder && !this.#forgotten.has(objectId);
    if (!expected.has(error.code) && !(isMade && taskEnds.has(error.code))) records.violation("ERRORS", text);
    if (error.code !== "OBJECT_LOST" || objects.endedHolders.has(holder)) return;
    const damagedMs = objects.damagedMs.get(objectId) ?? Number.NEGATIVE_INFINITY;
    if (Math.max(this.nodeLostMs, damagedMs) < createdMs) records.violation("REF-1", text);
    else if (
      mayRemake &&
      !error.message.includes("retries") &&
      Math.max(this.nodeLostMs, objects.lastDamageMs) < sinceMs
    )
      records.violation("LINEAGE-2", text);
  }
}

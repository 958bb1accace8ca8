/**
 * Responsibility: reporting the store's objects and the owners of their leases to the head's directory, and carrying
 * out its orders.
 * Not responsible for: the link, or where other nodes' objects are.
 *
 * Invariants:
 * - REPORT-1. A change is written to the link before the call that made it is answered, or within one turn of the event
 *   loop.
 * - REPORT-2. After each registration everything is reported again, including what was lost on the way.
 * - REPORT-3. Every owner is reported to the head when it is new, at each registration and every checkMs, so that an
 *   end that this node missed is learned at the next report.
 * - REPORT-5. The values whose leases ended last are reported again after each registration, so that a head that missed
 *   their end, or was started since, drops their copies on other nodes. Objects that are named by their hash are not
 *   reported again, because equal bytes may have been stored in the meantime.
 * - REPORT-4. At most one entry per object waits to be reported.
 */
import { type Clock, every } from "@palimpsest/std";
import { OldestFirstMap } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ObjectStore } from "./store/object-store.js";
import { type DropCause, isValueId, type StoredPlace, type StoreWatcher } from "./store/stored-object.js";

const maxEntries = 1_000;
/** The maximum number of values whose leases ended that are named again (REPORT-5). */
const maxEnded = 10_000;

export interface ObjectReportsDeps {
  readonly store: ObjectStore;
  /** Sends a report. It is dropped if there is no link, which REPORT-2 makes up for. */
  readonly send: (report: proto.ObjectReport.$Properties) => void;
  readonly clock: Clock;
  readonly checkMs: number;
  readonly onGone: (cause: DropCause) => void;
}

export class ObjectReports implements StoreWatcher {
  readonly #deps: ObjectReportsDeps;
  readonly #changed = new Map<string, StoredPlace | undefined>();
  readonly #holders = new Set<string>();
  readonly #ended = new OldestFirstMap<string, true>();
  readonly #stopChecking: () => void;
  #scheduled = false;
  #closed = false;

  constructor(deps: ObjectReportsDeps) {
    this.#deps = deps;
    deps.store.watch(this);
    this.#stopChecking = every(deps.clock, deps.checkMs, () => this.#askForHolders());
  }

  present(place: StoredPlace): void {
    this.#ended.delete(place.objectId);
    this.#changed.set(place.objectId, place);
    this.#schedule();
  }

  gone(objectId: string, cause: DropCause): void {
    this.#deps.onGone(cause);
    this.#changed.set(objectId, undefined);
    this.#schedule();
    if (!isValueId(objectId) || (cause !== "freed" && cause !== "holder ended")) return;
    this.#ended.set(objectId, true);
    while (this.#ended.size > maxEnded && this.#ended.oldest !== undefined)
      this.#ended.delete(this.#ended.oldest);
  }

  newHolder(holder: string): void {
    this.#holders.add(holder);
    this.#schedule();
  }

  /** Must be called when the head has accepted this node, for the first time or again. */
  registered(): void {
    this.#changed.clear();
    this.#holders.clear();
    this.#deps.send({ reset: true });
    for (const present of slices([...this.#deps.store.places()].map(placeToProto)))
      this.#deps.send({ present });
    for (const ended of slices([...this.#ended.keys()]))
      this.#deps.send({ gone: ended.map((objectId) => Buffer.from(objectId, "hex")) });
    this.#askForHolders();
  }

  endedHolders({ holders }: proto.EndedHolders.$Properties): void {
    for (const holder of holders ?? []) this.#deps.store.release(holder);
  }

  drop({ objects, holder, copiesOnly }: proto.DropObjects.$Properties): void {
    for (const { sha256, revision } of objects ?? []) {
      const objectId = Buffer.from(sha256 ?? []).toString("hex");
      const order = {
        objectId,
        holder: holder ?? "",
        revision: revision ?? 0,
        copiesOnly: copiesOnly ?? false,
      };
      // A report is made even if there was nothing to drop, because the head waits for it.
      if (!this.#deps.store.drop(order) && this.#deps.store.find(objectId) === undefined) {
        this.#changed.set(objectId, undefined);
        this.#schedule();
      }
    }
  }

  close(): void {
    this.#closed = true;
    this.#stopChecking();
  }

  #askForHolders(): void {
    for (const holders of slices(this.#deps.store.holders())) this.#deps.send({ holders });
  }

  /** Schedules a report in this turn's microtasks, so that several changes made at once are reported together. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (!this.#closed) this.#tell();
    });
  }

  #tell(): void {
    const changes = [...this.#changed];
    this.#changed.clear();
    const holders = [...this.#holders];
    this.#holders.clear();
    for (const part of slices(changes)) {
      const present: proto.ObjectPlace.$Properties[] = [];
      const gone: Uint8Array[] = [];
      for (const [objectId, place] of part) {
        if (place) present.push(placeToProto(place));
        else gone.push(Buffer.from(objectId, "hex"));
      }
      this.#deps.send({ present, gone });
    }
    for (const part of slices(holders)) this.#deps.send({ holders: part });
  }
}

function placeToProto({ objectId, ...place }: StoredPlace): proto.ObjectPlace.$Properties {
  return { sha256: Buffer.from(objectId, "hex"), ...place };
}

function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += maxEntries) yield items.slice(at, at + maxEntries);
}

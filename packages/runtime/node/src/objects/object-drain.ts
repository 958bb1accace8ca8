/**
 * Responsibility: making other nodes fetch the objects that have leases on this one, for the same owners, because
 * this node is about to leave.
 * Not responsible for: when that is finished (the head's directory knows which objects are only here).
 *
 * Invariants:
 * - OBJECTDRAIN-1. Nothing is released here: until the node leaves, an object and its leases are on both nodes.
 * - OBJECTDRAIN-2. Each owner of an object is sent once to a node that took the object; if a node is full, another
 *   one is tried.
 */
import { objectsService, PalimpsestError, type Peer, transferTimeoutMs } from "@palimpsest/wire";
import type { ObjectStore } from "./store/object-store.js";

const maxAtOnce = 4;

export interface ObjectDrainDeps {
  readonly store: Pick<ObjectStore, "entries">;
  readonly use: <T>(address: string, ask: (peer: Peer) => Promise<T>) => Promise<T>;
}

interface Held {
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly holders: readonly string[];
}

export class ObjectDrain {
  readonly #deps: ObjectDrainDeps;
  /** The node that took each object, and the owners that were sent to it. */
  readonly #moved = new Map<string, { readonly address: string; readonly holders: Set<string> }>();
  #isRunning = false;

  constructor(deps: ObjectDrainDeps) {
    this.#deps = deps;
  }

  /** Moves the objects that have leases now. Does nothing while an earlier round is in progress. */
  async run(addresses: readonly string[]): Promise<void> {
    if (this.#isRunning || addresses.length === 0) return;
    this.#isRunning = true;
    try {
      const left: Held[] = [];
      for (const { objectId, sizeBytes, holders } of this.#deps.store.entries())
        if (holders.size > 0) left.push({ objectId, sizeBytes, holders: [...holders.keys()] });
      let turn = 0;
      const work = async () => {
        for (let next = left.pop(); next !== undefined; next = left.pop())
          await this.#move(next, addresses, turn++);
      };
      await Promise.all(Array.from({ length: maxAtOnce }, work));
    } finally {
      this.#isRunning = false;
    }
  }

  async #move(held: Held, addresses: readonly string[], turn: number): Promise<void> {
    const known = this.#moved.get(held.objectId);
    const order = addresses.map((_, index) => addresses[(turn + index) % addresses.length] ?? "");
    const candidates = known ? [known.address, ...order] : order;
    for (const address of candidates) {
      const told = known?.address === address ? known.holders : new Set<string>();
      try {
        for (const holder of held.holders) {
          if (told.has(holder)) continue;
          const request = { objectId: held.objectId, holder };
          const timeoutMs = transferTimeoutMs(held.sizeBytes);
          await this.#deps.use(address, (peer) => peer.unary(objectsService.fetch, request, { timeoutMs }));
          told.add(holder);
        }
        this.#moved.set(held.objectId, { address, holders: told });
        return;
      } catch (reason) {
        // It was freed in the meantime, so there is nothing to move. Otherwise the next node is tried, or this one in
        // the next round.
        if (PalimpsestError.from(reason).code === "OBJECT_LOST") return;
      }
    }
  }
}

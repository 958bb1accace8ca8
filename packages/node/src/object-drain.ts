/**
 * Responsibility: has other nodes fetch what is held on this one, for the same holders, because this one is to leave.
 * Not responsible for: when that is done (the head's directory says what is held here alone).
 *
 * Invariants:
 * - OBJECTDRAIN-1. Nothing is let go of here: until the node leaves, an object and its holders are on both.
 * - OBJECTDRAIN-2. Each holder of an object is told once to a node that took it; one that is full is followed by another.
 */
import { objectsService, PalimpsestError, type Peer, transferTimeoutMs } from "@palimpsest/wire";
import type { ObjectStore } from "./object-store.js";

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
  /** By object: the node that took it, and holders that it has been told of. */
  readonly #moved = new Map<string, { readonly address: string; readonly holders: Set<string> }>();
  #isRunning = false;

  constructor(deps: ObjectDrainDeps) {
    this.#deps = deps;
  }

  /** Moves what is held now. Does nothing while an earlier round is under way. */
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
        // It was freed meanwhile: there is nothing to move. Else the next node is asked, or this one in the next round.
        if (PalimpsestError.from(reason).code === "OBJECT_LOST") return;
      }
    }
  }
}

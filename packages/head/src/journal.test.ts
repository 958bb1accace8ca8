import { describe, expect, it } from "vitest";
import { Journal } from "./journal.js";
import type { Store, StoreWrite } from "./store.js";
import { quietLogger, testMetrics } from "./testing/builders.js";
import { ManualClock, settle } from "./testing/manual-clock.js";
import { MemoryStore } from "./testing/memory-store.js";

const bytes = (text: string) => new TextEncoder().encode(text);

function aJournal(store: Store): { journal: Journal; clock: ManualClock } {
  const clock = new ManualClock();
  return { journal: new Journal({ store, clock, logger: quietLogger(), metrics: testMetrics() }), clock };
}

async function storedValue(store: Store, key: string): Promise<string> {
  return new TextDecoder().decode((await store.readTable("actors")).get(key));
}

describe("Journal", () => {
  it("W2: resolves when the value is in the store", async () => {
    const store = new MemoryStore();
    const { journal } = aJournal(store);
    await journal.put("actors", "a", bytes("1"));
    expect(await storedValue(store, "a")).toBe("1");
    expect(journal.pendingRows).toBe(0);
  });

  it("W1: never writes an older value of a row after a newer one, however slow the store is", async () => {
    const written: string[] = [];
    const release: (() => void)[] = [];
    const slow: Store = {
      readTable: async () => new Map(),
      fact: async (_name, initial) => initial,
      write: (writes: readonly StoreWrite[]) =>
        new Promise((resolve) => {
          release.push(() => {
            written.push(...writes.map((write) => new TextDecoder().decode(write.bytes)));
            resolve();
          });
        }),
    };
    const { journal } = aJournal(slow);
    const first = journal.put("actors", "a", bytes("1"));
    await settle();
    const later = [journal.put("actors", "a", bytes("2")), journal.put("actors", "a", bytes("3"))];
    await settle();
    expect(release).toHaveLength(1);
    release[0]?.();
    await first;
    await settle();
    release[1]?.();
    await Promise.all(later);
    expect(written).toEqual(["1", "3"]);
  });

  it("W3: keeps one value a row while the store is away and writes the newest when it is back", async () => {
    const store = new MemoryStore();
    store.failure = new Error("connection refused");
    const { journal, clock } = aJournal(store);
    const puts = ["1", "2", "3"].map((value) => journal.put("actors", "a", bytes(value)));
    await clock.advance(1_000);
    expect(journal.pendingRows).toBe(1);
    store.failure = undefined;
    await clock.advance(1_000);
    await Promise.all(puts);
    expect(await storedValue(store, "a")).toBe("3");
    expect(store.writes).toBe(1);
  });

  it("stops waiting for a store that stays away when it is closed", async () => {
    const store = new MemoryStore();
    store.failure = new Error("connection refused");
    const { journal, clock } = aJournal(store);
    void journal.put("actors", "a", bytes("1"));
    const closed = journal.close(5_000);
    await clock.advance(5_000);
    await closed;
    store.failure = undefined;
    await clock.advance(5_000);
    expect(store.writes).toBe(0);
  });
});

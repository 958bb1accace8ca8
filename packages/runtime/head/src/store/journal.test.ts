import { describe, expect, it } from "vitest";
import { quietLogger, testMetrics } from "../testing/builders.js";
import { ManualClock, settle } from "../testing/manual-clock.js";
import { MemoryStore } from "../testing/memory-store.js";
import { Journal } from "./journal.js";
import { DeposedError, type Store, type StoreWrite } from "./store.js";

const bytes = (text: string) => new TextEncoder().encode(text);

function aJournal(store: Store): { journal: Journal; clock: ManualClock } {
  const clock = new ManualClock();
  return { journal: new Journal({ store, clock, logger: quietLogger(), metrics: testMetrics() }), clock };
}

function storeOf(write: Store["write"]): Store {
  return { readTable: async () => new Map(), fact: async (_name, initial) => initial, write };
}

async function storedValue(store: Store, key: string): Promise<string> {
  return new TextDecoder().decode((await store.readTable("actors")).get(key));
}

describe("Journal", () => {
  it("JOURNAL-2: resolves when the value is in the store", async () => {
    const store = new MemoryStore();
    const { journal } = aJournal(store);
    await journal.put("actors", "a", bytes("1"));
    expect(await storedValue(store, "a")).toBe("1");
    expect(journal.pendingRows).toBe(0);
  });

  it("JOURNAL-6: a head that leads no more tries nothing again, and its close does not wait", async () => {
    let tries = 0;
    const { journal, clock } = aJournal(
      storeOf(async () => {
        tries++;
        throw new DeposedError("another head leads");
      }),
    );
    void journal.put("actors", "a", bytes("1"));
    await settle();
    void journal.put("actors", "b", bytes("1"));
    await clock.advance(5_000);
    expect(tries).toBe(1);
    await journal.close(60_000);
    expect([tries, journal.pendingRows]).toEqual([1, 2]);
  });

  it("JOURNAL-1: never writes an older value of a row after a newer one, however slow the store is", async () => {
    const written: string[] = [];
    const release: (() => void)[] = [];
    const slow = storeOf(
      (writes: readonly StoreWrite[]) =>
        new Promise((resolve) => {
          release.push(() => {
            written.push(...writes.map((write) => new TextDecoder().decode(write.bytes)));
            resolve();
          });
        }),
    );
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

  it("JOURNAL-3: keeps one value a row while the store is away and writes the newest when it is back", async () => {
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

  it("JOURNAL-4: bounds a batch in bytes", async () => {
    const batches: number[] = [];
    const store = storeOf(async (writes) => {
      batches.push(writes.reduce((sum, write) => sum + (write.bytes?.byteLength ?? 0), 0));
    });
    const { journal } = aJournal(store);
    const large = new Uint8Array(400 * 1024);
    await Promise.all(["a", "b", "c", "d", "e"].map((key) => journal.put("actors", key, large)));
    expect(batches).toEqual([2 * large.byteLength, 2 * large.byteLength, large.byteLength]);
  });

  it("JOURNAL-5: a row that the store rejects stops neither the others nor an orderly end, and is tried again", async () => {
    const written: string[] = [];
    let rejected = "poison";
    const store = storeOf(async (writes) => {
      if (writes.some((write) => write.key === rejected)) throw new Error("ERR value too large");
      written.push(...writes.map((write) => write.key));
    });
    const { journal, clock } = aJournal(store);
    const poison = journal.put("actors", "poison", bytes("1"));
    const others = Array.from({ length: 20 }, (_, index) =>
      journal.put("actors", `row-${index}`, bytes("1")),
    );
    await settle();
    await clock.advance(3_000);
    await Promise.all(others);
    expect(new Set(written).size).toBe(20);
    expect(journal.pendingRows).toBe(1);
    await journal.put("actors", "later", bytes("1"));
    await journal.flush(5_000);
    rejected = "";
    await clock.advance(60_000);
    await poison;
    expect(journal.pendingRows).toBe(0);
  });

  it("JOURNAL-3, JOURNAL-5: a store that was away sets no row aside when it is back", async () => {
    const store = new MemoryStore();
    store.failure = new Error("connection refused");
    const { journal, clock } = aJournal(store);
    const puts = Array.from({ length: 30 }, (_, index) => journal.put("actors", `row-${index}`, bytes("1")));
    await settle();
    await clock.advance(20_000);
    store.failure = undefined;
    await clock.advance(200);
    await Promise.all(puts);
    expect(journal.pendingRows).toBe(0);
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

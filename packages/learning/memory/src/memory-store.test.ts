import { describe, expect, it } from "vitest";
import { type Embedder, hashedEmbedder, MemoryStore, StoreBase, StoreBases } from "./index.js";
import { aRecord, manyRecords, numbers } from "./records.fixture.js";

const embedder = hashedEmbedder();
const now = () => Date.UTC(2026, 0, 2);
const records = [
  aRecord("m1", "Caroline painted a sunrise over the lake.", {
    speaker: "Caroline",
    session: "session_1",
    dialogueTime: "2023-05-08T13:56",
  }),
  aRecord("m2", "Melanie ran a charity race for mental health.", {
    speaker: "Melanie",
    session: "session_2",
    dialogueTime: "2023-05-25T13:14",
  }),
  aRecord("m3", "The lake house has a red door.", { memoryType: "semantic" }),
];
const store = () => MemoryStore.of(records, embedder, { now });
const ids = (found: Iterable<{ readonly id: string }>) => [...found].map(({ id }) => id);

describe("MemoryStore", () => {
  it("MEMORYSTORE-1: shows no namespace the changes of another, nor the base", async () => {
    const base = await StoreBase.of(records, embedder);
    const [a, b] = [new MemoryStore(base), new MemoryStore(base)];
    await Promise.all([
      a.create({ content: "Anna moved to Oslo." }),
      b.update("m1", { content: "Nothing." }),
    ]);
    a.delete("m2");
    expect(ids(a.records())).toEqual(["m1", "m3", "memory_4"]);
    expect(ids(b.records())).toEqual(["m1", "m2", "m3"]);
    expect(a.get("m1")?.content).toContain("sunrise");
    expect(b.get("m1")?.content).toBe("Nothing.");
    expect((await b.search("Oslo")).filter(({ record }) => record.content.includes("Oslo"))).toEqual([]);
    expect(base.records).toEqual(records);
  });

  it("MEMORYSTORE-2: after changes it scores as a store made of the same records from the start does", async () => {
    const random = numbers(3);
    const changed = await MemoryStore.of(manyRecords(200), embedder);
    const fresh = manyRecords(60, 9);
    for (const { content } of fresh.slice(0, 30)) await changed.create({ content });
    for (const [i, { content }] of fresh.slice(30).entries()) await changed.update(`r${i * 3}`, { content });
    for (let i = 0; i < 40; i++) changed.delete(`r${100 + 2 * i}`);
    changed.delete("memory_201");
    const again = await MemoryStore.of(changed.snapshot(), embedder);
    expect(changed.size).toBe(189);
    for (let i = 0; i < 20; i++) {
      const query = (fresh[Math.floor(random() * 60)]?.content ?? "").slice(0, 24);
      const [found, wanted] = await Promise.all([
        changed.search(query, { topK: 10 }),
        again.search(query, { topK: 10 }),
      ]);
      expect(ids(found.map(({ record }) => record))).toEqual(ids(wanted.map(({ record }) => record)));
      for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(wanted[at]?.score ?? -1, 10);
    }
  });

  it("MEMORYSTORE-3: gives the same ids and times for the same calls, and skips ids that are taken", async () => {
    const taken = [...records, aRecord("memory_5", "Taken.")];
    const make = async () => {
      const made = await MemoryStore.of(taken, embedder, { now });
      await made.create({ content: "One." });
      await made.create({ content: "Two." });
      return made.snapshot();
    };
    expect(await make()).toEqual(await make());
    expect(ids(await make()).slice(4)).toEqual(["memory_6", "memory_7"]);
    expect((await make())[4]?.createdAt).toBe("2026-01-02T00:00:00.000Z");
  });

  it("MEMORYSTORE-4: leaves everything as it was when a call fails", async () => {
    const broken: Embedder = {
      ...embedder,
      embed: async (texts) => (texts[0]?.includes("fail") ? [] : await embedder.embed(texts)),
    };
    const made = await MemoryStore.of(records, broken);
    await expect(made.create({ content: "fail" })).rejects.toThrow("EMBEDDER_FAILED");
    await expect(made.update("m1", { content: "fail" })).rejects.toThrow("EMBEDDER_FAILED");
    await expect(made.replace(["m1", "m2"], [{ content: "fail" }])).rejects.toThrow("EMBEDDER_FAILED");
    await expect(made.replace(["m1", "gone"], [{ content: "fine" }])).rejects.toThrow('"gone"');
    await expect(made.create({ content: "  " })).rejects.toThrow("content: is empty");
    await expect(made.update("gone", { content: "x" })).rejects.toThrow('no memory has the id "gone"');
    expect(() => made.delete("gone")).toThrow('no memory has the id "gone"');
    await expect(made.create({ content: "x" }, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    expect(made.diff()).toEqual({ created: [], updated: [], deleted: [] });
  });

  it("MEMORYSTORE-4: an update whose record is deleted meanwhile fails", async () => {
    const made = await store();
    const update = made.update("m1", { content: "New." });
    made.delete("m1");
    await expect(update).rejects.toThrow("NOT_FOUND");
    expect(made.diff()).toEqual({ created: [], updated: [], deleted: ["m1"] });
  });

  it("MEMORYSTORE-5: keeps an updated record's place", async () => {
    const made = await store();
    const created = await made.create({ content: "Later." });
    await made.update("m1", { content: "New." });
    await made.update(created.id, { content: "Later still." });
    expect(ids(made.records())).toEqual(["m1", "m2", "m3", "memory_4"]);
    expect(made.changedIds()).toEqual(["memory_4", "m1"]);
  });

  it("tells what became of the base, without what came and went", async () => {
    const made = await store();
    const passing = await made.create({ content: "Passing." });
    made.delete(passing.id);
    const kept = await made.create({ content: "Kept." });
    const updated = await made.update("m2", { content: "Melanie ran twice." });
    made.delete("m3");
    expect(made.diff()).toEqual({ created: [kept], updated: [updated], deleted: ["m3"] });
  });

  it("makes the changes that a diff tells of, and refuses a diff that does not fit", async () => {
    const made = await store();
    await made.create({ content: "Anna moved to Oslo." });
    await made.update("m2", { content: "Melanie ran twice." });
    made.delete("m3");
    const again = await store();
    await again.apply(made.diff());
    expect(again.snapshot()).toEqual(made.snapshot());
    expect(again.diff()).toEqual(made.diff());
    await expect(again.apply(made.diff())).rejects.toThrow("NOT_FOUND");
    const { created } = made.diff();
    await expect(again.apply({ created, updated: [], deleted: [] })).rejects.toThrow("DUPLICATE_ID");
  });

  it("refuses two records with one id", async () => {
    await expect(StoreBase.of([aRecord("a", "x"), aRecord("a", "y")], embedder)).rejects.toThrow(
      'records[1].id: "a" occurs twice',
    );
  });

  it("finds by words, by resembling words, and by the speaker", async () => {
    const made = await store();
    const first = async (query: string) => (await made.search(query))[0]?.record.id;
    expect(await first("lake house door")).toBe("m3");
    expect(await first("paintings of sunrises")).toBe("m1");
    await made.create({ content: "I adopted a dog.", speaker: "Joanna" });
    expect(await first("What did Joanna do?")).toBe("memory_4");
    expect(await made.search("")).toEqual([]);
    expect(await (await MemoryStore.of([], embedder)).search("lake")).toEqual([]);
  });

  it("filters by type, speaker, session, time and score", async () => {
    const made = await store();
    const found = async (options: Parameters<MemoryStore["search"]>[1]) =>
      ids((await made.search("the lake race", { topK: 9, ...options })).map(({ record }) => record)).sort();
    expect(await found({})).toEqual(["m1", "m2", "m3"]);
    expect(await found({ memoryType: "semantic" })).toEqual(["m3"]);
    expect(await found({ speaker: "caroline" })).toEqual(["m1"]);
    expect(await found({ session: "2" })).toEqual(["m2"]);
    expect(await found({ session: "session_1" })).toEqual(["m1"]);
    expect(await found({ after: "2023-05-09" })).toEqual(["m2"]);
    expect(await found({ before: "2023-05-08" })).toEqual(["m1"]);
    expect(await found({ before: "2023" })).toEqual(["m1", "m2"]);
    expect(await found({ after: "2023-05-08", before: "2023-05-25T13:00" })).toEqual(["m1"]);
    const [best] = await made.search("the lake race");
    expect(await found({ threshold: best?.score ?? 1 })).toEqual([best?.record.id]);
    for (const before of ["2020-13-45", "2023-02-30", "2023-00", "2023-05-08T25:00", "2023-05-08T12:60"])
      await expect(found({ before })).rejects.toThrow(`before: "${before}" is not a time`);
    expect(await found({ after: "2020-02-29" })).toEqual(["m1", "m2"]);
    await expect(found({ after: "May 8" })).rejects.toThrow('after: "May 8" is not a time');
  });

  it("gives scores between 0 and 1, the highest to the text itself", async () => {
    const made = await store();
    const [best, next] = await made.search(records[1]?.content ?? "");
    expect(best?.record.id).toBe("m2");
    expect(best?.score).toBeGreaterThan(0.5);
    expect(best?.score).toBeLessThanOrEqual(1);
    expect(next?.score ?? 0).toBeLessThan(0.2);
  });
});

describe("MemoryStore of 10^5 records", () => {
  /** Counts letters, which is cheap and distinguishes the texts of these tests. */
  const letters: Embedder = {
    name: "letters",
    dimensions: 26,
    embed: async (texts) =>
      texts.map((text) => {
        const counts = new Float32Array(26);
        for (let i = 0; i < text.length; i++) {
          const at = text.charCodeAt(i) - 97;
          if (at >= 0 && at < 26) counts[at] = (counts[at] as number) + 1;
        }
        return counts;
      }),
  };

  it("finds the one record, also among many changes, in less than 100 ms of the processor", async () => {
    const base = await StoreBase.of(manyRecords(100_000), letters);
    const made = new MemoryStore(base);
    const other = new MemoryStore(base);
    for (let i = 0; i < 200; i++) {
      await made.create({ content: `note ${i} of today` });
      made.delete(`r${i * 3}`);
    }
    const wanted = base.records[77_777]?.content ?? "";
    expect((await made.search(wanted, { topK: 3 }))[0]?.record.id).toBe("r77777");
    expect((await made.search("note 150 of today"))[0]?.record.content).toBe("note 150 of today");
    const elsewhere = await other.search("note 150 of today");
    expect(elsewhere.filter(({ record }) => record.content.startsWith("note"))).toEqual([]);
    expect(other.get("r0")).toBe(base.records[0]);
    const sessions = (await made.search(wanted, { topK: 50, session: "7", after: "2023-06" })).map(
      ({ record }) => [record.session, (record.dialogueTime ?? "") >= "2023-06"],
    );
    expect(sessions).toEqual(Array.from({ length: 50 }, () => ["session_7", true]));
    expect(made.size).toBe(100_000);
    const before = process.cpuUsage();
    for (let i = 0; i < 10; i++) await made.search(base.records[i * 999]?.content ?? "");
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 10_000).toBeLessThan(100);
  });
});

describe("StoreBases", () => {
  const copy = () => structuredClone(records);

  it("STOREBASES-1: shares one base among callers with equal records, and embeds them once", async () => {
    const texts: string[] = [];
    const counting: Embedder = {
      ...embedder,
      embed: async (some) => {
        texts.push(...some);
        return await embedder.embed(some);
      },
    };
    const bases = new StoreBases(counting);
    const all = await Promise.all(Array.from({ length: 16 }, () => bases.baseOf(copy())));
    expect(new Set(all).size).toBe(1);
    expect(texts).toHaveLength(records.length);
    expect(await bases.baseOf(copy().reverse())).not.toBe(all[0]);
  });

  it("STOREBASES-2: forgets the base that was asked for longest ago", async () => {
    const bases = new StoreBases(embedder, { maxBases: 2 });
    const of = (i: number) => bases.baseOf([aRecord("a", `number ${i}`)]);
    const [one, two] = [await of(1), await of(2)];
    expect(await of(1)).toBe(one);
    await of(3);
    expect(await of(1)).toBe(one);
    expect(await of(2)).not.toBe(two);
  });

  it("STOREBASES-3: an abort ends one caller's wait and no other's", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow: Embedder = {
      ...embedder,
      embed: async (texts) => {
        await gate;
        return await embedder.embed(texts);
      },
    };
    const bases = new StoreBases(slow);
    const stop = new AbortController();
    const [aborted, other] = [bases.baseOf(copy(), stop.signal), bases.baseOf(copy())];
    stop.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    open();
    expect((await other).size).toBe(3);
  });

  it("STOREBASES-4: tries again after a failure", async () => {
    let fail = true;
    const bases = new StoreBases({
      ...embedder,
      embed: async (texts) => (fail ? [] : await embedder.embed(texts)),
    });
    await expect(bases.baseOf(copy())).rejects.toThrow("EMBEDDER_FAILED");
    fail = false;
    expect((await bases.baseOf(copy())).size).toBe(3);
  });
});

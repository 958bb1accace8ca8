import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { findOverlap, prepareData, preparedTasks, preparerByName, TaskCensus } from "../index.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const data = join(shared, "data");
const present = existsSync(join(data, "MANIFEST.md"));
if (!present) process.stdout.write(`skipped: no data sets at ${data} (PALIMPSEST_SHARED moves it)\n`);

const folder = fileFolder();

const pool = join(data, "hotpotqa/paragraphs.jsonl");
let outs = 0;
async function prepared(name: string, file: string, options: Record<string, unknown> = {}) {
  const out = join(folder, `${outs++}.jsonl`);
  const inputs = [join(data, file)];
  const { manifest } = await prepareData({
    preparer: preparerByName(name),
    options,
    inputs,
    out,
    seed: 1,
    format: "task",
  });
  const tasks: Task[] = [];
  for await (const task of preparedTasks(out)) tasks.push(task);
  return { manifest, tasks, ids: tasks.map(({ id }) => id) };
}
const json = <Value>(file: string) => JSON.parse(readFileSync(join(data, file), "utf8")) as Value;

/** The first 16 digits of the hash that the list of the data sets gives a file. */
function listedHash(file: string): string {
  const row = readFileSync(join(data, "MANIFEST.md"), "utf8")
    .split("\n")
    .find((line) => line.startsWith(`| ${file} |`));
  return row?.split("|")[3]?.trim() ?? "not listed";
}

describe.skipIf(!present)("the real data sets", () => {
  it.each([
    ["hotpotqa", "hotpotqa/dev_200.json", 200, 10],
    ["hotpotqa", "hotpotqa/train_100.json", 100, 10],
    ["hotpotqa", "hotpotqa/dev_100.hf_schema.json", 100, 10],
    ["2wikimultihopqa", "2wikimultihopqa/dev_164.json", 164, 10],
    ["musique", "musique/train_100.json", 100, 20],
    ["squad", "squad/xquad.en.json", 1190, 1],
    ["hotpotqa", "memagent/eval_50.8.json", 8, 50],
  ])(
    "%s: %s is %i tasks of at most %i documents, of the listed bytes, without a bad row",
    async (name, file, count, docs) => {
      const { manifest, tasks, ids } = await prepared(name, file);
      expect(manifest.badRows.total).toBe(0);
      expect(tasks).toHaveLength(count);
      expect(new Set(ids).size).toBe(count);
      expect(manifest.sources[0]?.sha256.slice(0, 16)).toBe(listedHash(file));
      expect(Math.max(...tasks.map(({ metadata }) => Number(metadata["numDocs"])))).toBe(docs);
    },
  );

  it("are mixed by length, and what an evaluation asks is left out", async () => {
    const files = [
      "hotpotqa/train_100.json",
      "2wikimultihopqa/dev_164.json",
      "musique/train_100.json",
      "squad/xquad.en.json",
    ];
    const dev = join(folder, "mix-dev.jsonl");
    const asks = {
      options: { docs: 4 },
      inputs: [join(data, "hotpotqa/dev_200.json")],
      format: "task",
      seed: 1,
    } as const;
    await prepareData({ preparer: preparerByName("hotpotqa"), out: dev, ...asks });
    const mixed = join(folder, "mix.jsonl");
    const { manifest } = await prepareData({
      preparer: preparerByName("mix"),
      options: { most: 100, pool: [pool], evaluation: [dev], answerFree: true },
      inputs: [...files, "hotpotqa/dev_200.json"].map((file) => join(data, file)),
      out: mixed,
      seed: 1,
      format: "task",
    });
    const tasks: Task[] = [];
    for await (const task of preparedTasks(mixed)) tasks.push(task);
    const of = (name: string) => tasks.filter(({ metadata }) => metadata["dataSource"] === name).length;
    expect(["2wikimultihopqa", "musique", "squad"].map(of)).toEqual([100, 100, 100]);
    // Of 300 HotpotQA questions 100 are drawn, of which those of the evaluation are left out.
    const left = Object.entries(manifest.leftOut).filter(([reason]) => reason.startsWith("evaluated"));
    expect(of("hotpotqa")).toBe(100 - left.reduce((sum, [, count]) => sum + count, 0));
    expect(of("hotpotqa")).toBeGreaterThan(10);
    const asked = new Set((await prepared("hotpotqa", "hotpotqa/dev_200.json")).ids);
    expect(tasks.filter(({ id }) => asked.has(id))).toEqual([]);
    const docs = tasks.map(({ metadata }) => Number(metadata["numDocs"]));
    expect(docs.every((count) => count >= 2 && count <= 40)).toBe(true);
    // Each doubling has the same share: 2 to 4, 5 to 9, 10 to 19, 20 to 40 of a range of ln(40.5 / 1.5).
    const shares = [
      [2, 4],
      [5, 9],
      [10, 19],
      [20, 40],
    ].map(([low = 0, high = 0]) => [
      docs.filter((count) => count >= low && count <= high).length / docs.length,
      Math.log((high + 0.5) / (low - 0.5)) / Math.log(40.5 / 1.5),
    ]);
    for (const [share = 0, expected = 0] of shares) expect(Math.abs(share - expected)).toBeLessThan(0.08);
    const { found, rows } = await findOverlap({ path: mixed, evaluation: [dev] });
    expect([rows, found]).toEqual([tasks.length, []]);
  }, 60_000);

  it("overlap with themselves only where they ask the same twice, whatever their templates", async () => {
    // XQuAD has two questions twice, and some that differ in a word: "when did …", "where did …".
    const same = { squad: 2, "2wikimultihopqa": 0, hotpotqa: 0, musique: 0 };
    const near = { squad: 13, "2wikimultihopqa": 0, hotpotqa: 0, musique: 0 };
    for (const [name, file] of [
      ["2wikimultihopqa", "2wikimultihopqa/dev_164.json"],
      ["squad", "squad/xquad.en.json"],
      ["hotpotqa", "hotpotqa/dev_200.json"],
      ["musique", "musique/train_100.json"],
    ] as const) {
      const { tasks } = await prepared(name, file);
      const halves = [0, 1].map((half) => {
        const path = join(folder, `half-${name}-${half}.jsonl`);
        const rows = tasks.filter((_, at) => at % 2 === half);
        writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
        return path;
      });
      const [path = "", evaluation = ""] = halves;
      const { found } = await findOverlap({ path, evaluation: [evaluation] });
      const by = (how: string) => found.filter((one) => one.by === how).length;
      expect([name, by("id"), by("words"), by("n-grams")]).toEqual([name, 0, same[name], near[name]]);
    }
  });

  it("share no question between training and development", async () => {
    const train = await prepared("hotpotqa", "hotpotqa/train_100.json");
    const dev = await prepared("hotpotqa", "hotpotqa/dev_200.json");
    expect(train.ids.filter((id) => dev.ids.includes(id))).toEqual([]);
  });

  it("give the gold documents that another program found in the same evaluation items", async () => {
    const items =
      json<{ hotpot_id: string; gold_docs: number[]; context: string }[]>("memagent/eval_50.8.json");
    const { tasks } = await prepared("hotpotqa", "memagent/eval_50.8.json");
    const rows = new Map(
      json<{ _id: string; supporting_facts: [string, number][] }[]>("hotpotqa/dev_200.json").map((row) => [
        row._id,
        row,
      ]),
    );
    for (const [at, { document, metadata }] of tasks.entries()) {
      expect(document).toBe(items[at]?.context);
      expect(metadata["goldDocuments"]).toBe(items[at]?.gold_docs.join(" "));
      const titles = rows.get(String(metadata["hotpot_id"]))?.supporting_facts.map(([title]) => title) ?? [];
      const blocks = document.split(/^Document \d+:\n/m).slice(1);
      const found = items[at]?.gold_docs.map((place) => blocks[place - 1]?.split("\n")[0] ?? "") ?? [];
      expect(new Set(found)).toEqual(new Set(titles));
    }
  });

  it("put the evidence at uniformly random places of real contexts", async () => {
    const census = new TaskCensus();
    for (const seed of [1, 2]) {
      const { tasks } = await prepared("hotpotqa", "hotpotqa/dev_200.json", {
        docs: 100,
        pool: [pool],
        repeat: seed === 2,
      });
      for (const task of tasks) census.add(task);
    }
    const { goldPlaces, tasks } = census.statistics();
    expect(tasks).toBe(400);
    expect(goldPlaces?.documents).toBe(800);
    expect(goldPlaces?.pValue).toBeGreaterThan(0.001);
  });

  it("are clean where the answer stands in no paragraph of the pool but their own", async () => {
    const listed = json<string[]>("hotpotqa/dev_200.clean_ids.json");
    const { ids, manifest } = await prepared("hotpotqa", "hotpotqa/dev_200.json", {
      clean: true,
      pool: [pool],
    });
    expect(manifest.leftOut).toEqual({ "answer-elsewhere": 68 });
    expect(ids).toHaveLength(132);
    expect(ids.filter((id) => !listed.includes(id))).toEqual([]);
    // The list has seven more, whose answers the pool holds word for word.
    const rows = json<{ _id: string; answer: string }[]>("hotpotqa/dev_200.json");
    const paragraphs = readFileSync(pool, "utf8").toLowerCase();
    const others = rows.filter(({ _id }) => listed.includes(_id) && !ids.includes(_id));
    expect(others.map(({ answer }) => answer).sort()).toEqual([
      "Belleville",
      "Elia Kazan",
      "Frank Borzage",
      "July 8, 2014",
      "Liezel Huber",
      "cocktails",
      "martial artist",
    ]);
    for (const { answer } of others) expect(paragraphs).toContain(answer.toLowerCase());
  });

  it("fill contexts of 4,000 documents and refuse more than the pool has", async () => {
    const { tasks } = await prepared("hotpotqa", "hotpotqa/smoke_8.json", { docs: 4000, pool: [pool] });
    const [first] = tasks;
    expect(first?.document.match(/^Document \d+:$/gm)).toHaveLength(4000);
    await expect(prepared("hotpotqa", "hotpotqa/smoke_8.json", { docs: 6400, pool: [pool] })).rejects.toThrow(
      /needs 6390 other paragraphs for 6400 documents, and the pool has \d+ that are not its own/,
    );
  });

  it("fill 12,800 documents from all their pools, and 25,600 where documents may repeat", async () => {
    const pools = [
      ...["paragraphs.jsonl", "dev_200.json", "dev_100.hf_schema.json", "train_100.json"].map(
        (one) => `hotpotqa/${one}`,
      ),
      "2wikimultihopqa/paragraphs_6119.json",
      "2wikimultihopqa/dev_164.json",
      "musique/train_100.json",
      "squad/xquad.en.json",
    ].map((one) => join(data, one));
    const out = join(folder, "long");
    const made = (lengths: readonly number[], repeat: boolean) =>
      prepareData({
        preparer: preparerByName("ruler-hqa"),
        options: { lengths, pool: pools, repeat },
        inputs: [join(data, "hotpotqa/smoke_8.json")],
        out,
        seed: 1,
        limit: 2,
        format: "eval",
      });
    await expect(made([25_600], false)).rejects.toThrow(
      /for 25600 documents, and the pool has 1\d{4} that are not its own/,
    );
    const { manifest } = await made([12_800, 25_600], true);
    expect(manifest.badRows.total).toBe(0);
    for (const numDocs of [12_800, 25_600]) {
      let read = 0;
      for await (const { id, document, metadata } of preparedTasks(join(out, `eval_${numDocs}.json`))) {
        read += 1;
        expect(document.match(/^Document \d+:$/gm)?.length).toBeGreaterThanOrEqual(numDocs);
        expect(metadata["numDocs"]).toBe(numDocs);
        expect((metadata["repeatedDocs"] ?? 0) === 0).toBe(numDocs === 12_800);
        expect(id).toMatch(/^5/);
      }
      expect(read).toBe(2);
    }
  });

  it("are the same bytes each time", async () => {
    const hashes = [];
    for (let i = 0; i < 2; i++) {
      const { manifest } = await prepared("musique", "musique/train_100.json", { docs: 50 });
      hashes.push(manifest.files[0]?.sha256);
    }
    expect(hashes[0]).toBe(hashes[1]);
    expect(
      createHash("sha256")
        .update(readFileSync(join(folder, `${outs - 1}.jsonl`)))
        .digest("hex"),
    ).toBe(hashes[1]);
  });
});

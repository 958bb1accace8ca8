import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { prepareData, preparedTasks, preparerByName } from "../index.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

function write(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

const count = 60;
const each = <Value>(make: (i: number) => Value) => Array.from({ length: count }, (_, i) => make(i));
const hotpot = each((i) => ({
  _id: `h${i}`,
  question: `Which hotpot question is number ${i} of them all?`,
  answer: `a${i}`,
  supporting_facts: [
    [`A${i}`, 0],
    [`B${i}`, 0],
  ],
  context: [
    [`A${i}`, [`about ${i}`]],
    [`B${i}`, [`a${i}`]],
    [`C${i}`, [`else ${i}`]],
  ],
}));
const musique = each((i) => ({
  id: `m${i}`,
  question: `Which question of music is the ${i}th here?`,
  answer: `b${i}`,
  paragraphs: [0, 1, 2, 3].map((idx) => ({
    idx,
    title: `M${i}.${idx}`,
    paragraph_text: `music ${i} ${idx}`,
    is_supporting: idx < 3,
  })),
  question_decomposition: [0, 1, 2].map((idx) => ({ paragraph_support_idx: idx })),
}));
const squad = {
  data: [
    {
      title: "Squad",
      paragraphs: each((i) => ({
        context: `the squad's paragraph ${i}`,
        qas: [
          { id: `s${i}`, question: `What is paragraph ${i} about?`, answers: [{ text: `paragraph ${i}` }] },
        ],
      })),
    },
  ],
};

async function mixed(options: object, seed = 1) {
  const inputs = [
    write("hotpot.json", hotpot),
    write(
      "2wiki.json",
      hotpot.map((row) => ({ ...row, _id: `2${row._id}`, question: `2wiki: ${row._id}?`, evidences: [] })),
    ),
    write("musique.jsonl", musique.map((row) => `${JSON.stringify(row)}\n`).join("")),
    write("squad.json", squad),
  ];
  const out = join(folder, "mix.jsonl");
  const { manifest } = await prepareData({
    preparer: preparerByName("mix"),
    options: { ...options },
    inputs,
    out,
    seed,
    format: "task",
  });
  const tasks = [];
  for await (const task of preparedTasks(out)) tasks.push(task);
  return { manifest, tasks, bytes: readFileSync(out, "utf8") };
}
const docsOf = ({ metadata }: { metadata: Record<string, unknown> }) => Number(metadata["numDocs"]);

describe("data prepare mix", () => {
  it("mixes every data set and length, the same for the same seed", async () => {
    const first = await mixed({ minDocs: 2, maxDocs: 9, lengths: "uniform" });
    expect(first.manifest.badRows.total).toBe(0);
    expect(first.tasks).toHaveLength(4 * count);
    const sources = first.tasks.map(({ metadata }) => metadata["dataSource"]);
    for (const name of ["hotpotqa", "2wikimultihopqa", "musique", "squad"]) {
      expect(sources.filter((one) => one === name)).toHaveLength(count);
      expect(sources.slice(0, 40)).toContain(name);
    }
    const docs = first.tasks.map(docsOf);
    for (let length = 2; length <= 9; length++) {
      const share = docs.filter((one) => one === length).length / docs.length;
      // Evidence of three paragraphs takes what two would have had.
      expect(Math.abs(share - 1 / 8)).toBeLessThan(0.07);
    }
    expect(first.tasks.filter(({ id }) => id.startsWith("m")).every((task) => docsOf(task) >= 3)).toBe(true);
    expect((await mixed({ minDocs: 2, maxDocs: 9, lengths: "uniform" })).bytes).toBe(first.bytes);
    expect((await mixed({ minDocs: 2, maxDocs: 9, lengths: "uniform" }, 2)).bytes).not.toBe(first.bytes);
  });

  it("orders by length, and by rates where there are some", async () => {
    const short = await mixed({ curriculum: "short-first", most: 10 });
    expect(short.manifest.leftOut).toEqual({
      "more than 10 of hotpotqa": 50,
      "more than 10 of 2wikimultihopqa": 50,
      "more than 10 of musique": 50,
      "more than 10 of squad": 50,
    });
    const docs = short.tasks.map(docsOf);
    expect(docs).toEqual([...docs].sort((a, b) => a - b));
    const rated = hotpot.map(({ _id: id }, i) => ({
      position: i,
      id,
      textSha256: "0".repeat(64),
      samples: 4,
      passRate: (i % 5) / 4,
    }));
    const rates = write("rates.jsonl", rated.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const rateOf = new Map(rated.map(({ id, passRate }) => [id, passRate]));
    for (const [curriculum, sign] of [
      ["easy-first", -1],
      ["hard-first", 1],
    ] as const) {
      const { tasks } = await mixed({ curriculum, rates });
      expect(tasks.slice(0, count).every(({ id }) => rateOf.has(id))).toBe(true);
      const order = tasks.slice(0, count).map(({ id }) => sign * (rateOf.get(id) ?? 0));
      expect(order).toEqual([...order].sort((a, b) => a - b));
      const rest = tasks.slice(count).map(docsOf);
      expect(rest).toEqual([...rest].sort((a, b) => a - b));
    }
    await expect(mixed({ curriculum: "easy-first" })).rejects.toThrow(/curriculum: easy-first needs rates/);
    const other = write("other.jsonl", JSON.stringify({ ...rated[0], id: "other" }));
    await expect(mixed({ curriculum: "easy-first", rates: other })).rejects.toThrow(/rates none of the 240/);
    await expect(mixed({ minDocs: 9, maxDocs: 3 })).rejects.toThrow(/minDocs: 9 is above maxDocs 3/);
  });

  it("leaves out what an evaluation asks", async () => {
    const asked = [3, 7].map((i) => ({
      id: `e${i}`,
      question: hotpot[i]?.question,
      answers: ["x"],
      document: "d",
      metadata: {},
    }));
    const evaluation = [write("eval.jsonl", asked.map((row) => `${JSON.stringify(row)}\n`).join(""))];
    const { tasks, manifest } = await mixed({ evaluation });
    expect(manifest.leftOut).toEqual({ "evaluated, by words": 2 });
    expect(tasks).toHaveLength(4 * count - 2);
    expect(tasks.map(({ id }) => id)).not.toContain("h3");
  });
});

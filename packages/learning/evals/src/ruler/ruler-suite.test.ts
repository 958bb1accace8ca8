import { existsSync } from "node:fs";
import { memAgent, memAgentConfig } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { type RulerTaskName, readRulerSources, rulerTaskNames } from "@palimpsest/datasets";
import { describe, expect, it } from "vitest";
import { agentSystem } from "../baselines/agent-system.js";
import { documentText, type EvalItem } from "../suite/item.js";
import { runSuite } from "../suite/runner.js";
import { suiteReportFiles } from "../suite/suite-report.js";
import { summarizeSuite } from "../suite/summary.js";
import { anItem, aPrediction, aSystem } from "../suite/testing.js";
import { rulerCells, rulerSection } from "./ruler-section.js";
import { rulerItems, rulerScorer } from "./ruler-suite.js";

const shared = process.env["PALIMPSEST_SHARED"] ?? "../shared";
const squad = `${shared}/data/squad/xquad.en.json`;
const hotpotqa = `${shared}/data/hotpotqa/dev_200.json`;

/** Finds in the text what is asked. Every task except the questions can be solved from text and question alone. */
function solve({ question, metadata, answers }: EvalItem, text: string): string[] {
  const asked = Number(/Name all (\d+)/.exec(question)?.[1] ?? 1);
  const task = String(metadata["task"]);
  if (task.startsWith("niah")) return notedNeedles(question, text).map(({ value }) => value);
  if (task === "vt") return holdersOf(question, text);
  if (task === "cwe")
    return mostFrequent(
      [...text.matchAll(/\d+\. (\w+)/g)].map(([, word]) => word as string),
      asked,
    );
  if (task === "fwe")
    return mostFrequent(
      text.split(" ").filter((word) => word !== "..."),
      asked,
    );
  return answers.filter((answer) => text.includes(answer)).slice(0, 1);
}

function notedNeedles(question: string, text: string): { key: string; value: string }[] {
  return [...text.matchAll(/A hidden \w+ of (\S+) is (\S+)\./g)]
    .map(([, key, value]) => ({ key: key as string, value: value as string }))
    .filter(({ key }) => new RegExp(`\\b${key}(?![\\w-])`).test(question));
}

function holdersOf(question: string, text: string): string[] {
  const value = /value (\d{5})/.exec(question)?.[1] ?? "";
  const holders = new Set([value]);
  for (const [, name, what] of text.matchAll(/Let (\w+) = (\w+)\./g)) {
    if (holders.has(what as string)) holders.add(name as string);
  }
  holders.delete(value);
  return [...holders];
}

function mostFrequent(words: readonly string[], count: number): string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(([word]) => word);
}

const oracle = aSystem(async (item) => solve(item, await documentText(item)).join(", "), {
  name: "oracle",
});
const empty = aSystem(() => "", { name: "empty" });
const shrugging = aSystem(() => "I do not know.", { name: "shrugging" });

async function scores(items: readonly EvalItem[], systems = [oracle, empty, shrugging]) {
  const run = await runSuite({ suite: "ruler", items, systems, scorer: rulerScorer, concurrency: 2 });
  const cells = rulerCells(run);
  const of = (system: string) =>
    cells
      .filter((cell) => cell.system === system)
      .map(({ task, length, score }) => `${task}@${length}: ${score}`);
  return { run, cells, of };
}

describe("eval ruler", () => {
  it.skipIf(!existsSync(squad) || !existsSync(hotpotqa))(
    "gives a scripted oracle 100 % and an empty agent 0 on all 13 tasks",
    async () => {
      const sources = await readRulerSources({ squad, hotpotqa });
      const items = rulerItems({ lengths: [4096], count: 3, seed: 1 }, sources);
      expect(items).toHaveLength(39);
      const { cells } = await scores(items);
      const ofTasks = (system: string) =>
        cells.filter((cell) => cell.system === system && rulerTaskNames.some((name) => name === cell.task));
      expect(ofTasks("oracle").map(({ task, score, n }) => [task, score, n])).toEqual(
        rulerTaskNames.map((name) => [name, 1, 3]),
      );
      expect(ofTasks("empty").map(({ score }) => score)).toEqual(rulerTaskNames.map(() => 0));
      expect(ofTasks("shrugging").map(({ score }) => score)).toEqual(rulerTaskNames.map(() => 0));
    },
  );

  it("does so at 128K and at a million tokens, from documents that are made when they are read", async () => {
    const items = [
      ...rulerItems({ tasks: ["niah_multikey_3", "cwe", "vt"], lengths: [131_072], seed: 2 }),
      ...rulerItems({ tasks: ["fwe"], lengths: [1_048_576], seed: 2 }),
    ];
    for (const { document, metadata } of items) {
      expect(typeof document).toBe("object");
      expect(Number(metadata["lengthTokens"])).toBeGreaterThan(0.99 * Number(metadata["length"]));
    }
    const { of } = await scores(items);
    expect(new Set(of("oracle").map((text) => text.split(": ")[1]))).toEqual(new Set(["1"]));
    expect(new Set(of("empty").map((text) => text.split(": ")[1]))).toEqual(new Set(["0"]));
  });

  it("counts what an agent read and answered: MemAgent with an honest script finds what it noted", async () => {
    const tokenizer = wordTokenizer(["<|im_start|>", "<|im_end|>"]);
    const part = (prompt: string, name: string) =>
      new RegExp(`<${name}>\\n([\\s\\S]*?)\\n</${name}>`).exec(prompt)?.[1] ?? "";
    // The memory keeps what was asked for and the end of the section, where a sentence may be cut.
    const reply = (prompt: string) => {
      const question = part(prompt, "problem");
      const memory = part(prompt, "memory");
      const noted = memory.split("\ncut off: ")[0] ?? "";
      if (!prompt.includes("<section>")) {
        return question.includes("variables")
          ? holdersOf(question, noted).join(", ")
          : notedNeedles(question, noted)
              .map(({ value }) => value)
              .join(", ");
      }
      const text = `${memory.split("\ncut off: ")[1] ?? ""}${part(prompt, "section")}`;
      const facts = question.includes("variables")
        ? [...text.matchAll(/Let \w+ = \w+\./g)].map(([fact]) => fact)
        : notedNeedles(question, text).map(({ key, value }) => `A hidden number of ${key} is ${value}.`);
      return `${[...new Set([noted, ...facts])]
        .filter((fact) => fact !== "No previous memory")
        .join(" ")
        .trim()}\ncut off: ${text.slice(-90)}`;
    };
    const tasks: RulerTaskName[] = [
      "niah_single_1",
      "niah_multikey_1",
      "niah_multivalue",
      "niah_multiquery",
      "vt",
    ];
    const items = rulerItems({ tasks, lengths: [16_384], seed: 4 });
    const config = memAgentConfig("memagent", { chunkTokens: 1000, prompt: "chatml" });
    const agent = memAgent({ sampler: scriptedSampler({ tokenizer, reply }), tokenizer, config });
    const system = agentSystem({ name: "memagent", agent, settings: config, model: "script" });
    const { of, run } = await scores(items, [system]);
    expect(of("memagent")).toEqual(
      [...tasks, "retrieval", "tracing", "average"].map((task) => `${task}@16384: 1`),
    );
    for (const { prediction } of run.systems[0]?.outcomes ?? []) {
      expect(prediction?.counts.conversations).toBeGreaterThan(8);
    }
  });

  it("reports tasks by length with intervals, as table, JSON and plots", async () => {
    const half = aSystem(
      async (item) =>
        solve(item, await documentText(item))
          .slice(0, 2)
          .join(" "),
      { name: "half" },
    );
    const items = rulerItems({
      tasks: ["niah_multiquery", "niah_single_1"],
      lengths: [2048, 4096],
      count: 4,
    });
    const { run, cells } = await scores(items, [half, empty]);
    const cell = (task: string) =>
      cells.find((one) => one.system === "half" && one.task === task && one.length === 2048);
    expect(cell("niah_multiquery")).toMatchObject({ n: 4, score: 0.5 });
    expect(cell("niah_single_1")).toMatchObject({ n: 4, score: 1, interval: { high: 1 } });
    expect(cell("niah_single_1")?.interval.low).toBeCloseTo(0.51, 2);
    expect(cell("average")?.score).toBe(0.75);
    const files = suiteReportFiles({
      title: "RULER",
      facts: {},
      summary: summarizeSuite(run),
      pairs: [],
      sections: [rulerSection(run)],
    });
    expect(Object.keys(files).sort()).toEqual([
      "complete.svg",
      "report.json",
      "report.md",
      "ruler.svg",
      "tasks-1.svg",
      "tasks-2.svg",
    ]);
    expect(files["report.md"]).toContain(
      "| niah_single_1 | 100.0 [51.0, 100.0] (4) | 100.0 [51.0, 100.0] (4) |",
    );
    expect(files["report.md"]).toContain("![half by length](tasks-1.svg)");
    expect(files["report.json"]).toContain('"title": "Tasks by length"');
    expect(files["report.json"]).not.toContain("<svg");
    expect(files["tasks-1.svg"]).toContain("retrieval");
  });

  it("scores again by the task's own rule, without what was thought before", async () => {
    const item = anItem(1, { answers: ["red", "blue"] });
    const signal = new AbortController().signal;
    const score = (task: string, text: string) =>
      rulerScorer.score({ ...item, metadata: { task } }, aPrediction(text), signal);
    expect(score("qa_1", "Blue")).toEqual({ ruler: 1, complete: 1 });
    expect(score("vt", "Blue")).toEqual({ ruler: 0.5, complete: 0 });
    expect(score("vt", "red blue</think>green")).toEqual({ ruler: 0, complete: 0 });
  });
});

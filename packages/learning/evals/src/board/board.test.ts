import { worlds } from "@palimpsest/datasets";
import { hashedEmbedder } from "@palimpsest/memory";
import { createRandom } from "@palimpsest/std/random";
import { beforeAll, describe, expect, it } from "vitest";
import { type RunScores, twoLevelDifference } from "../resampling.js";
import type { EvalItem } from "../suite/item.js";
import { runSuite } from "../suite/runner.js";
import { summarizeSuite } from "../suite/summary.js";
import type { System } from "../suite/system.js";
import { type WorldScript, worldScripts } from "../worlds/world-scripts.js";
import { type WorldSuite, worldScorer, worldSuite } from "../worlds/world-suite.js";
import { type BoardRow, boardOf } from "./board.js";
import { boardFiles } from "./board-files.js";
import { leaksOf } from "./leaks.js";

type StoredRecord = NonNullable<EvalItem["records"]>[number];

const record = (id: string, metadata: StoredRecord["metadata"] = {}): StoredRecord => ({
  id,
  content: "Ada moved.",
  memoryType: "episodic",
  provenance: [],
  metadata,
});

const item: EvalItem = {
  id: "q1",
  group: "all",
  question: "Who has the coin?",
  answers: ["Ada"],
  document: "",
  records: ["D1:1", "D1:2", "D2:14"].map((id) => record(id)),
  evidence: ["D1:2"],
  metadata: { candidates: "Ada | Ben | Cora", asked: "coin" },
};
const withRecord = (id: string, metadata?: StoredRecord["metadata"]): EvalItem => ({
  ...item,
  records: [...(item.records ?? []), record(id, metadata)],
});

/** Twenty ways in which an answer was, or could be, given away outside of the text. */
const planted: Readonly<Record<string, EvalItem>> = {
  "the answer in the question": { ...item, question: "Who has the coin, Ada?" },
  "the answer in other letters": { ...item, question: "Has ADA the coin?" },
  "one of two answers": { ...item, answers: ["Ada", "Adela"], question: "Is it Adela?" },
  "some of the candidates": { ...item, question: "Is it Ada or Ben?" },
  "a question that offers one": { ...item, metadata: {}, question: "Ada, is it?" },
  "an id with the word": withRecord("answer_17"),
  "an id with the word at its end": withRecord("s3-answer"),
  "an id of gold": withRecord("gold:4"),
  "an id of evidence": withRecord("evidence-4"),
  "an id with the answer": withRecord("D3:Ada"),
  "an id that is right": withRecord("correct 1"),
  "an id of the target": withRecord("target/2"),
  "a field of gold": withRecord("D3:1", { gold: true }),
  "a field of evidence": withRecord("D3:1", { evidence: "yes" }),
  "a field with the answer's name": withRecord("D3:1", { answer: "x" }),
  "a value that says so": withRecord("D3:1", { kind: "supporting" }),
  "a field that names the person": withRecord("D3:1", { Ada: 1 }),
  "evidence with ids of its own form": {
    ...item,
    evidence: ["E1"],
    records: [...(item.records ?? []), record("E1")],
  },
  "evidence with a longer id": { ...item, evidence: ["D1:2b"], records: [record("D1:1"), record("D1:2b")] },
  "evidence without a prefix": { ...item, evidence: ["7"], records: [record("D1:1"), record("7")] },
};

describe("leaks", () => {
  it("are all found where they were planted, twenty of twenty", () => {
    const found = Object.entries(planted).filter(([, one]) => leaksOf([one]).length > 0);
    expect(Object.keys(planted)).toHaveLength(20);
    expect(found.map(([name]) => name)).toEqual(Object.keys(planted));
  });

  it("are not found in what has none: records of a conversation, and questions of every world", async () => {
    expect(leaksOf([item])).toEqual([]);
    const { items } = await worldSuite({
      worlds: worlds.map(({ name }) => name),
      lengths: [64],
      questions: 30,
      seed: 5,
      split: "dev",
    });
    expect(leaksOf(items)).toEqual([]);
  });
});

describe("the difference over training runs and questions", () => {
  const drawn = (seed: string, runs: number, share: (run: number) => number): RunScores => {
    const random = createRandom(seed);
    return Array.from({ length: runs }, (_, run) =>
      Array.from({ length: 400 }, () => (random.float() < share(run) ? 1 : 0)),
    );
  };

  it("is wide where training runs differ, however many questions there are", () => {
    const alike = twoLevelDifference(drawn("a", 3, () => 0.5));
    const apart = twoLevelDifference(drawn("a", 3, (run) => [0.2, 0.5, 0.8][run] ?? 0));
    const width = ({ interval }: typeof alike) => interval.high - interval.low;
    expect(width(alike)).toBeLessThan(0.15);
    expect(width(apart)).toBeGreaterThan(0.3);
    expect(alike.interval.low).toBeLessThan(alike.difference);
    expect(alike.interval.high).toBeGreaterThan(alike.difference);
  });

  it("finds what is there and not what is not", () => {
    const before = drawn("before", 3, () => 0.4);
    const better = twoLevelDifference(
      drawn("after", 3, () => 0.6),
      before,
    );
    expect(better.difference).toBeCloseTo(0.2, 1);
    expect(better.p).toBeLessThan(0.01);
    expect(twoLevelDifference(before, before).difference).toBe(0);
    expect(
      twoLevelDifference(
        drawn("same", 3, () => 0.4),
        before,
      ).p,
    ).toBeGreaterThan(0.05);
  });

  it("covers the truth in about 95 of 100 experiments", () => {
    let covered = 0;
    for (let experiment = 0; experiment < 40; experiment++) {
      const { interval } = twoLevelDifference(
        drawn(`x${experiment}`, 1, () => 0.3).map((run) => run.slice(0, 100)),
      );
      if (interval.low <= 0.3 && interval.high >= 0.3) covered += 1;
    }
    expect(covered).toBeGreaterThan(33);
  });
});

describe("a board", () => {
  let suite: WorldSuite;
  let scripts: WorldScript[];
  beforeAll(async () => {
    suite = await worldSuite({ worlds: ["count"], lengths: [128], questions: 500, seed: 1, split: "test" });
    scripts = worldScripts(suite, hashedEmbedder());
  });
  const says = (name: string, text: (one: EvalItem) => string): System => ({
    name,
    settings: {},
    answer: async (one) => ({
      text: text(one),
      counts: { conversations: 2, promptTokens: 30, sampledTokens: 10, truncated: 0 },
    }),
  });
  const rows = (...entries: BoardRow[]): BoardRow[] => [
    ...entries,
    ...scripts.map(({ kind, system }): BoardRow => {
      return { name: system.name, kind, division: "question known", systems: [system.name] };
    }),
  ];
  const entry = (name: string, kind: BoardRow["kind"] = "entry", systems = [name]): BoardRow => ({
    name,
    kind,
    division: "question known",
    systems,
  });
  const boardWith = async (
    systems: readonly System[],
    entries: readonly BoardRow[],
    items: readonly EvalItem[] = suite.items,
  ) => {
    const all = [...systems, ...scripts.map(({ system }) => system)];
    const run = await runSuite({ suite: "board", items, systems: all, scorer: worldScorer });
    return boardOf(summarizeSuite(run), rows(...entries), leaksOf(items));
  };
  const knows = (share: number) => (one: EvalItem) =>
    createRandom(one.id).float() < share ? (one.answers[0] ?? "") : "nobody";

  it("has scores with costs and corrected pairs where its controls hold", async () => {
    const board = await boardWith(
      [says("a1", knows(0.7)), says("a2", knows(0.8)), says("b", knows(0.5)), says("none", () => "zero")],
      [entry("a", "entry", ["a1", "a2"]), entry("b"), entry("none", "control")],
    );
    expect(board.emptied).toEqual({});
    const cell = board.cells.find(({ row }) => row === "a");
    expect(cell).toMatchObject({ trainingSeeds: 2, questions: 500, cost: { calls: 2, contextTokens: 20 } });
    expect(cell?.score).toBeCloseTo(0.75, 1);
    expect(board.pairs).toHaveLength(1);
    expect(board.pairs[0]).toMatchObject({ first: "a", second: "b" });
    // Of two training seeds nothing is said of a third.
    expect(board.pairs[0]?.adjustedP).toBeNull();
    const single = await boardWith(
      [says("a1", knows(0.8)), says("b", knows(0.5))],
      [entry("a1"), entry("b")],
    );
    expect(single.pairs[0]?.adjustedP).toBeLessThan(0.05);
    const oracle = board.cells.find(({ kind }) => kind === "oracle");
    expect(oracle?.score).toBe(1);
  });

  it.each<[string, RegExp, () => Promise<ReturnType<typeof boardOf>>]>([
    [
      "a model that answers without the text",
      /the control without the text, none scores 9/,
      () => boardWith([says("none", knows(0.95))], [entry("none", "control")]),
    ],
    [
      "a cheat that pays",
      /the cheat all scores 100\.0 %/,
      () => boardWith([says("all", (one) => one.answers[0] ?? "")], [entry("all", "cheat")]),
    ],
    [
      "a question that gives its answer away",
      /1 answers are given away, the first in question of world-count/,
      () =>
        boardWith(
          [says("a", knows(0.5))],
          [entry("a")],
          suite.items.map((one, at) =>
            at === 3 ? { ...one, question: `${one.question} Is it ${one.answers[0]}?` } : one,
          ),
        ),
    ],
    [
      "fewer than 500 questions",
      /20 questions are fewer than 500/,
      () => boardWith([says("a", knows(0.5))], [entry("a")], suite.items.slice(0, 20)),
    ],
  ])("is empty with %s", async (_, reason, made) => {
    const board = await made();
    expect(board.cells).toEqual([]);
    expect(board.pairs).toEqual([]);
    expect(board.emptied["count, 128"]?.join()).toMatch(reason);
  });

  it("can show a difference however many entries it has", async () => {
    // The fewest whose pairs are more than the usual number of draws can tell apart, corrected.
    const names = Array.from({ length: 11 }, (_, at) => `row ${at}`);
    const board = await boardWith(
      names.map((name, at) => says(name, knows(at === 0 ? 0.9 : 0.3))),
      names.map((name) => entry(name)),
    );
    const first = board.pairs.filter(({ first }) => first === "row 0");
    expect(first).toHaveLength(10);
    expect(Math.max(...first.map(({ adjustedP }) => adjustedP ?? 1))).toBeLessThan(0.05);
  });

  it("is empty where the oracle or the best guess is missing", () => {
    const board = boardOf(
      {
        suite: "board",
        seed: 0,
        scorer: "world/1",
        metrics: worldScorer.metrics,
        groups: ["count, 128"],
        systems: [{ system: "a", cells: [], outcomes: [] }],
      },
      [entry("a")],
    );
    expect(board.emptied["count, 128"]?.join()).toMatch(/best guess is missing.*oracle's row is missing/);
  });

  it("says why questions failed, and writes names as texts", async () => {
    const broken: System = {
      ...says("<b>", () => ""),
      answer: async () => {
        throw new Error("no <i>model</i>");
      },
    };
    const board = await boardWith([broken], [entry("<b>")]);
    expect(board.failed).toEqual([
      { row: "<b>", group: "count, 128", questions: 500, first: expect.stringContaining("no <i>model</i>") },
    ]);
    const files = boardFiles("A & B", { n: 1 }, board);
    expect(files["board.html"]).toContain("<title>A &amp; B</title>");
    expect(files["board.html"]).not.toMatch(/<b>|<i>/);
    expect(files["board.md"]).toContain("500 questions failed and count as wrong");
    expect(files["board.json"]).not.toContain("seconds");
  });
});

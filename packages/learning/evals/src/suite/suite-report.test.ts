import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { mcNemarP, wilsonInterval } from "../intervals.js";
import { pairsBetween, pairsOf, pairsWithRuns } from "./pairs.js";
import type { SuiteRun } from "./runner.js";
import { suiteMarkdown } from "./suite-markdown.js";
import { readEarlierRuns, readSuiteSummary, writeSuiteReport } from "./suite-report.js";
import { summarizeSuite } from "./summary.js";
import { anItem, aPrediction, aRun } from "./testing.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const pattern = (text: string) => [...text].map((letter) => letter === "1");
const reportOf = (run: SuiteRun) => {
  const summary = summarizeSuite(run);
  return { title: "A run", facts: { model: "m" }, summary, pairs: pairsOf(summary) };
};

describe("summarizeSuite", () => {
  it("gives each system and group its share with Wilson's interval", () => {
    const items = [50, 50, 50, 200, 200].map((group, i) => anItem(i, { group }));
    const { systems, groups } = summarizeSuite(aRun({ a: pattern("11001") }, { items }));
    expect(groups).toEqual([50, 200]);
    const cells = systems[0]?.cells ?? [];
    expect(cells.map(({ group, n }) => [group, n])).toEqual([
      [50, 3],
      [200, 2],
      ["all", 5],
    ]);
    expect(cells[0]?.metrics["exactMatch"]).toEqual({ value: 2 / 3, interval: wilsonInterval(2, 3) });
    expect(cells[2]?.metrics["exactMatch"]?.value).toBe(3 / 5);
    expect(cells[0]?.busySeconds).toBe(1);
  });

  it("takes the same question in several groups for one where it sums over groups", () => {
    const items = [50, 200, 800].flatMap((group) =>
      Array.from({ length: 8 }, (_, i) => anItem(i, { id: `q${i}/${group}`, group, questionKey: `q${i}` })),
    );
    // A question is right at every length or at none.
    const rights = pattern("11110000".repeat(3));
    const all = summarizeSuite(aRun({ a: rights }, { items })).systems[0]?.cells.at(-1);
    const { low, high } = all?.metrics["exactMatch"]?.interval ?? { low: 0, high: 0 };
    const wrong = wilsonInterval(12, 24);
    expect(high - low).toBeGreaterThan(1.3 * (wrong.high - wrong.low));
  });

  it("keeps failed items in the denominator and says how many", () => {
    const run = aRun({ a: pattern("111") });
    const [own] = run.systems;
    const failed = own?.outcomes.map(({ prediction, ...outcome }, i) =>
      i === 0
        ? { ...outcome, scores: { exactMatch: 0, f1: 0, subExactMatch: 0 }, failure: "lost | gone" }
        : { ...outcome, ...(prediction ? { prediction } : {}) },
    );
    const report = reportOf({ ...run, systems: [{ system: "a", outcomes: failed ?? [] }] });
    const [cell] = report.summary.systems[0]?.cells ?? [];
    expect([cell?.n, cell?.failures, cell?.metrics["exactMatch"]?.value]).toEqual([3, 1, 2 / 3]);
    const text = suiteMarkdown(report);
    expect(text).toContain("## Failures");
    expect(text).toContain("| a | q0 | lost \\| gone |");
  });
});

describe("pairsOf", () => {
  it("pairs systems item by item", () => {
    const pairs = pairsOf(summarizeSuite(aRun({ a: pattern("1100000000"), b: pattern("1011111100") })));
    const pair = pairs.find(({ metric }) => metric === "exactMatch");
    expect(pair).toMatchObject({ first: "a", second: "b", n: 10 });
    expect(pair?.difference).toBeCloseTo(0.5, 12);
    expect(pair?.p).toBe(mcNemarP({ bothRight: 1, onlyAfter: 6, onlyBefore: 1, bothWrong: 2 }));
    const f1 = pairs.find(({ metric }) => metric === "f1");
    expect(f1?.interval.low).toBeLessThan(0.5);
    expect(f1?.interval.high).toBeGreaterThan(0.5);
  });

  it("corrects for the number of pairs", () => {
    const pairs = pairsOf(
      summarizeSuite(aRun({ a: pattern("0000000000"), b: pattern("1111111111"), c: pattern("0000000001") })),
    ).filter(({ metric }) => metric === "exactMatch");
    expect(pairs.length).toBe(3);
    const [ab] = pairs;
    expect(ab?.adjustedP).toBeCloseTo(3 * (ab?.p ?? 0), 12);
  });
});

describe("the report", () => {
  it("is written whole, and read again for a comparison with a later run", async () => {
    const before = reportOf(aRun({ memagent: pattern("1000"), other: pattern("1111") }));
    const paths = await writeSuiteReport(folder, before);
    expect(paths.length).toBe(4);
    expect((await readdir(folder)).sort()).toEqual(["exactMatch.svg", "f1.svg", "report.json", "report.md"]);
    const earlier = await readSuiteSummary(folder);
    expect(earlier).toEqual(before.summary);
    const later = summarizeSuite(aRun({ memagent: pattern("1110") }));
    const [pair] = pairsBetween(earlier, later, { before: "old", after: "new" });
    expect(pair).toMatchObject({ first: "old: memagent", second: "new: memagent", n: 4, difference: 0.5 });
  });

  it("compares with the mean of several training runs, by an interval over runs and questions", () => {
    const of = (name: string, text: string) => ({
      name,
      summary: summarizeSuite(aRun({ memagent: pattern(text) })),
    });
    const untrained = summarizeSuite(aRun({ memagent: pattern("00000001") }));
    const alike = [of("s1", "11110001"), of("s2", "11101001"), of("s3", "11110010")];
    const [pair] = pairsWithRuns(alike, untrained, "untrained");
    expect(pair).toMatchObject({
      first: "mean of s1, s2, s3: memagent",
      second: "untrained: memagent",
      n: 8,
    });
    expect(pair?.difference).toBeCloseTo((1 - (5 + 5 + 5) / 3) / 8);
    // One run that learned among three is not three that did.
    const apart = [of("s1", "11111111"), of("s2", "00000001"), of("s3", "00000001")];
    const [other] = pairsWithRuns(apart, untrained, "untrained");
    expect(other?.interval.high).toBeGreaterThan(0);
    expect(other?.p).toBeGreaterThan(0.3);
    expect(() => pairsWithRuns([of("s1", "1"), of("s2", "10")], untrained, "x")).toThrow(/NOT_COMPARABLE/);
  });

  it("claims nothing of metrics that earlier runs lack, of one run or of one question", () => {
    const summaryOf = (text: string) => summarizeSuite(aRun({ memagent: pattern(text) }));
    const after = summaryOf("0001");
    const lacking = (text: string) => {
      const summary = summaryOf(text);
      return { ...summary, metrics: summary.metrics.filter(({ name }) => name !== "f1") };
    };
    const runs = [
      { name: "s1", summary: summaryOf("1101") },
      { name: "s2", summary: lacking("1011") },
    ];
    const pairs = pairsWithRuns(runs, after, "now");
    expect(pairs.map(({ metric }) => metric)).toEqual(
      after.metrics.map(({ name }) => name).filter((name) => name !== "f1"),
    );
    const [s1] = runs;
    if (s1 === undefined) throw new Error("There is a first run.");
    for (const few of [[], [s1], [s1, s1]])
      expect(() => pairsWithRuns(few, after, "now")).toThrow(/NOT_COMPARABLE.*runs: .*not two or more/);
    const one = (name: string, text: string) => ({ name, summary: summaryOf(text) });
    expect(() => pairsWithRuns([one("s1", "1"), one("s2", "0")], summaryOf("1"), "now")).toThrow(
      /NOT_COMPARABLE.*questions: no group has two/,
    );
    const report = { ...reportOf(aRun({ memagent: pattern("0001") })), comparison: pairs };
    expect(suiteMarkdown(report)).toMatch(/earlier runs\n[\s\S]*the claim is about this policy/);
  });

  it("leaves out a group of one question, and keeps the others", () => {
    const summaryOf = (text: string) => {
      const items = [50, 50, 200].map((group, i) => anItem(i, { group }));
      return summarizeSuite(aRun({ memagent: pattern(text) }, { items }));
    };
    const runs = ["110", "101"].map((text, i) => ({ name: `s${i}`, summary: summaryOf(text) }));
    const groups = pairsWithRuns(runs, summaryOf("001"), "now").map(({ group }) => group);
    expect([...new Set(groups)]).toEqual([50, "all"]);
  });

  it("reads earlier runs, and refuses a folder that is given twice", async () => {
    await writeSuiteReport(folder, reportOf(aRun({ memagent: pattern("1000") })));
    const link = join(testFolder(), "link");
    await symlink(folder, link);
    expect((await readEarlierRuns([folder])).map(({ name }) => name)).toEqual([folder]);
    for (const again of [folder, `${folder}/`, link])
      await expect(readEarlierRuns([folder, again])).rejects.toThrow(/NOT_COMPARABLE.*the same folder/);
  });

  it("names in Markdown who took part, with counts, intervals and what it took", () => {
    const text = suiteMarkdown(reportOf(aRun({ memagent: pattern("1000"), "rag-bm25": pattern("1111") })));
    expect(text).toContain(
      "| memagent | 4 | 25.0 [4.6, 69.9] | 25.0 [0.0, 75.0] | 25.0 [4.6, 69.9] | 0 | 0 |",
    );
    expect(text).toContain("| rag-bm25 | 4 | 100.0 [51.0, 100.0]");
    expect(text).toContain("| memagent | rag-bm25 | all | exactMatch | 4 | +75.0");
    expect(text).toContain("No question failed.");
  });

  it("lists what systems counted, only of those that did", () => {
    const run = aRun({ a: pattern("10"), b: pattern("01") });
    const [a, b] = run.systems;
    const counting = a?.outcomes.map((outcome, i) => ({
      ...outcome,
      prediction: aPrediction("x", { measures: { "recall@2": i, passages: 3 } }),
    }));
    const text = suiteMarkdown(
      reportOf({ ...run, systems: [{ system: "a", outcomes: counting ?? [] }, ...(b ? [b] : [])] }),
    );
    expect(text).toContain(
      "| mean per question | a |\n| --- | ---: |\n| passages | 3 |\n| recall@2 | 0.500 |",
    );
    expect(suiteMarkdown(reportOf(run))).not.toContain("counted");
  });

  it("shows what was found of the evidence by group", () => {
    const items = ["temporal", "multi-hop"].map((group, i) => anItem(i, { group }));
    const run = aRun({ a: pattern("10") }, { items });
    const systems = run.systems.map((one) => ({
      ...one,
      outcomes: one.outcomes.map((outcome, i) => ({
        ...outcome,
        prediction: aPrediction("x", { measures: { "recall@2": i, passages: 2 } }),
      })),
    }));
    expect(suiteMarkdown(reportOf({ ...run, systems }))).toContain(
      "| passages | 2 |\n| recall@2 | 0.500 |\n| recall@2, temporal | 0 |\n| recall@2, multi-hop | 1 |",
    );
  });

  it("refuses to compare runs of other items, and folders without a report", async () => {
    const before = summarizeSuite(aRun({ a: pattern("10") }));
    const after = summarizeSuite(aRun({ a: pattern("1") }, { items: [anItem(7)] }));
    expect(() => pairsBetween(before, after, { before: "x", after: "y" })).toThrow(/NOT_COMPARABLE.*"q7"/);
    await expect(readSuiteSummary(folder)).rejects.toThrow(/BAD_FOLDER/);
    await writeFile(join(folder, "report.json"), "{}");
    await expect(readSuiteSummary(folder)).rejects.toThrow(/not a report of an evaluation/);
  });

  it("draws lines over numeric groups and dots over others", async () => {
    const items = [50, 200].flatMap((group) => [0, 1].map((i) => anItem(i, { id: `${i}/${group}`, group })));
    await writeSuiteReport(folder, reportOf(aRun({ a: pattern("1101"), b: pattern("0001") }, { items })));
    const lines = await readFile(join(folder, "exactMatch.svg"), "utf8");
    expect(lines).toContain("group (log scale)");
    await writeSuiteReport(folder, reportOf(aRun({ a: pattern("11"), "b & c": pattern("01") })));
    const dots = await readFile(join(folder, "exactMatch.svg"), "utf8");
    expect(dots).toContain("b &amp; c");
    expect(dots.match(/<circle/g)?.length).toBe(2);
  });
});

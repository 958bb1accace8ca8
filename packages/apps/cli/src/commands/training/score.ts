import { readFile } from "node:fs/promises";
import {
  type CheckedCase,
  checkGolden,
  type GoldenFile,
  type GoldenMetricName,
  goldenMetrics,
  listsIn,
} from "@palimpsest/checks";
import { parseJson, reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { formatTable } from "../../display/table.js";
import { unknownValue } from "../../input/unknown-value.js";
import { type OwnScores, ownMetricNames, scoreOwn } from "../../training/own-scores.js";

interface ScoreOptions {
  readonly metric: string;
  readonly cases: string;
  readonly json?: boolean;
}

const output = new JsonOutput(() =>
  z.union([
    z
      .strictObject({
        metric: z.string(),
        cases: z.int(),
        passed: z.int(),
        failed: z.int(),
        contested: z.int(),
        results: z.array(
          z.strictObject({
            list: z.string(),
            id: z.string(),
            kind: z.string(),
            outcome: z.enum(["passed", "failed", "contested"]),
            differences: z.array(
              z.strictObject({
                name: z.string(),
                expected: z.unknown().optional(),
                actual: z.unknown().optional(),
              }),
            ),
            choice: z.string().optional(),
          }),
        ),
      })
      .describe("of golden values"),
    z
      .strictObject({
        metric: z.string(),
        cases: z.int(),
        means: z.record(z.string(), z.number()),
        results: z.array(z.strictObject({ id: z.string(), scores: z.record(z.string(), z.number()) })),
      })
      .describe("of predictions"),
  ]),
);

export function addScore(program: Command): void {
  const golden = Object.keys(goldenMetrics);
  program
    .command("score")
    .description("recomputes golden scores, or scores a file of your own predictions")
    .requiredOption(
      "--metric <name>",
      `golden values: ${golden.join(", ")}; predictions: ${ownMetricNames.join(", ")}`,
    )
    .requiredOption("--cases <file>", "JSON of golden values; or JSON or JSONL of {prediction, answers}")
    .addOption(output.option())
    .addHelpText("after", "\nThe exit code is 1 if an uncontested golden value is missed.")
    .action(async ({ metric, cases, json }: ScoreOptions) => {
      const content = await readCases(cases);
      const own = ownRows(metric, content);
      if (own !== null) return showOwn(metric, scoreOwn(metric, own), json === true);
      const checked = checkGolden(goldenMetric(metric, content, cases), content as GoldenFile);
      showGolden(metric, checked, json === true);
      if (checked.some(({ outcome }) => outcome === "failed")) process.exitCode = 1;
    });
}

/** Reads a JSON value, or the lines of a JSONL file as an array. */
async function readCases(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((reason: unknown) => {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--cases ${path}: cannot be read (${reasonText(reason)}); give a JSON or JSONL file`,
      { cause: reason },
    );
  });
  try {
    return parseJson(text);
  } catch (reason) {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (lines.length < 2)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `--cases ${path}: is not JSON: ${reasonText(reason)}; give a JSON or JSONL file`,
      );
    return lines.map((line, place) => parseLine(line, `${path}, line ${place + 1}`));
  }
}

function parseLine(line: string, place: string): unknown {
  try {
    return parseJson(line);
  } catch (reason) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--cases ${place}: is not JSON: ${reasonText(reason)}; give one object per line`,
    );
  }
}

/** Returns the cases of a user's own file; null if it has golden values. */
function ownRows(metric: string, content: unknown): readonly unknown[] | null {
  if (Array.isArray(content)) return content;
  if (typeof content !== "object" || content === null) return [content];
  const { cases } = content as Readonly<Record<string, unknown>>;
  const [first] = Array.isArray(cases) ? cases : [];
  const golden = Object.hasOwn(goldenMetrics, metric);
  if (Array.isArray(cases) && (!golden || (isObject(first) && "answers" in first))) return cases;
  return "prediction" in content ? [content] : null;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function goldenMetric(metric: string, content: unknown, path: string): GoldenMetricName {
  if (!Object.hasOwn(goldenMetrics, metric)) {
    const known = [...new Set([...Object.keys(goldenMetrics), ...ownMetricNames])];
    throw unknownValue("--metric", metric, known);
  }
  const name = metric as GoldenMetricName;
  if (listsIn(name, content as GoldenFile).length > 0) return name;
  const lists = goldenMetrics[name].map((list) => list.name).join(", ");
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `--cases ${path}: contains none of the lists of ${metric} (${lists}); give the golden values of this metric`,
  );
}

function showGolden(metric: string, checked: readonly CheckedCase[], json: boolean): void {
  const of = (outcome: CheckedCase["outcome"]) => checked.filter((one) => one.outcome === outcome);
  const [passed, failed, contested] = [of("passed"), of("failed"), of("contested")];
  const counts = { passed: passed.length, failed: failed.length, contested: contested.length };
  if (json) {
    output.print({ metric, cases: checked.length, ...counts, results: checked });
    return;
  }
  if (failed.length > 0) {
    const rows = failed.flatMap(({ list, id, kind, differences }) =>
      differences.map(({ name, expected, actual }) => [list, id, kind, name, brief(expected), brief(actual)]),
    );
    const headings = ["failed", "case", "kind", "value", "golden", "ours"];
    process.stdout.write(`${formatTable(headings, rows)}\n\n`);
  }
  if (contested.length > 0) {
    const rows = contested.map(({ list, id, kind, differences, choice = "" }) => [
      list,
      id,
      kind,
      differences.length === 0 ? "yes" : "no",
      choice,
    ]);
    const headings = ["contested", "case", "kind", "equals golden", "our choice"];
    process.stdout.write(`${formatTable(headings, rows)}\n\n`);
  }
  const verdict = `${counts.passed} passed, ${counts.failed} failed, ${counts.contested} contested`;
  process.stdout.write(`${metric}: ${checked.length} cases: ${verdict}\n`);
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function showOwn(metric: string, { cases, means }: OwnScores, json: boolean): void {
  if (json) {
    output.print({ metric, cases: cases.length, means, results: cases });
    return;
  }
  const rows = Object.entries(means).map(([name, mean]) => [name, mean.toFixed(4)]);
  process.stdout.write(`${formatTable(["metric", "mean"], rows)}\n\n${metric}: ${cases.length} cases\n`);
}

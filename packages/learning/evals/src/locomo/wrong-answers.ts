import { parseJson } from "@palimpsest/std/input";
import { z } from "zod";
import { EvaluationError } from "../error.js";
import { meanInterval } from "../resampling.js";
import type { SuiteRun } from "../suite/runner.js";
import type { ReportSection } from "../suite/suite-markdown.js";

/** The group of questions whose answers in the file are known to be wrong. */
export const knownWrong = "known wrong";

const idsSchema = z.array(z.string().min(1));

/**
 * Reads a list of questions whose answers are known to be wrong: a JSON array of ids such as "conv-26-q17" (the
 * question's index in the conversation's list, from 0), or one id per line.
 * @throws {EvaluationError} BAD_CONFIG
 */
export function parseWrongAnswers(text: string): ReadonlySet<string> {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  if (!text.trim().startsWith("[")) return new Set(lines.filter((line) => line !== ""));
  const parsed = idsSchema.safeParse(jsonOf(text));
  if (parsed.success) return new Set(parsed.data);
  throw new EvaluationError(
    "BAD_CONFIG",
    'wrong answers: must be a JSON array of ids such as "conv-26-q17", or one id per line',
  );
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Reports the scores over all questions but those whose answers are known to be wrong; nothing if there are none. */
export function withoutWrongAnswers({ items, scorer, systems }: SuiteRun): ReportSection[] {
  const count = items.filter(({ group }) => group === knownWrong).length;
  if (count === 0) return [];
  const percent = (value: number) => (value * 100).toFixed(1);
  const rows = systems.map(({ system, outcomes }) => {
    const kept = outcomes.filter(({ group }) => group !== knownWrong);
    const metrics = scorer.metrics.map(({ name }) => {
      const values = kept.map(({ itemId, scores }) => ({ value: scores[name] ?? 0, cluster: itemId }));
      const value = values.reduce((sum, one) => sum + one.value, 0) / Math.max(1, values.length);
      return { name, value, interval: meanInterval(values) };
    });
    return { system, n: kept.length, metrics };
  });
  const lines = [
    `| system | n | ${scorer.metrics.map(({ label }) => label).join(" | ")} |`,
    `| --- | ---: |${" ---: |".repeat(scorer.metrics.length)}`,
    ...rows.map(({ system, n, metrics }) => {
      const cells = metrics.map(
        ({ value, interval: { low, high } }) => `${percent(value)} [${percent(low)}, ${percent(high)}]`,
      );
      return `| ${system} | ${n} | ${cells.join(" | ")} |`;
    }),
    "",
    `Over all questions but the ${count} whose answers are known to be wrong, in percent with 95 % bootstrap intervals.`,
  ];
  return [{ title: "Without known wrong answers", lines, data: rows, files: {} }];
}

/**
 * Measures how long it takes to find the paragraphs of a pool that contain an answer: with the index of `data prepare
 * --clean`, and by reading every paragraph for every question. The pool is sampled from the sentences of real
 * paragraphs; answers are those of real questions. Prints a table; with --json FILE it also writes the figures.
 *
 *   npx tsx --conditions=@palimpsest/source bench/paragraph-search.ts --questions F [--questions F…] --pool F [--pool
 *     F…] [--paragraphs 66000] [--json FILE]
 */

import { createRandom, readQuestionSource } from "../packages/learning/datasets/src/index.js";
import { ParagraphPool } from "../packages/learning/datasets/src/paragraphs/paragraph-pool.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const values = benchFlags({ questions: [], pool: [], paragraphs: "66000", json: undefined });
const wanted = Number(values.paragraphs);
const source = await readQuestionSource({ inputs: values.questions, pool: values.pool, dataSource: "bench" });
const random = createRandom("paragraph-search");
const sentences = source.pool.texts.flatMap((text) => text.split(/(?<=\. )/));
const pool = new ParagraphPool(
  Array.from({ length: wanted }, (_, i) => ({
    title: `Paragraph ${i}`,
    text: Array.from({ length: 4 }, () => sentences[random.below(sentences.length)] ?? "").join(""),
  })),
);
const answers = source.questions.map((question) => question.answers);

/** The lowered texts are for `scan`, the search as it was before there was an index. */
const lowered = pool.texts.map((text) => text.toLowerCase());
function scan(texts: readonly string[]): ReadonlySet<number> {
  const lower = texts.map((text) => text.toLowerCase());
  const places = new Set<number>();
  for (const [place, text] of lowered.entries())
    if (lower.some((one) => text.includes(one))) places.add(place);
  return places;
}

/** Measures processor time, because the machine may have other work. */
function timed<T>(of: () => T): readonly [T, number] {
  const before = process.cpuUsage();
  const made = of();
  const { user, system } = process.cpuUsage(before);
  return [made, (user + system) / 1000];
}

const [scanned, scanMs] = timed(() => answers.map(scan));
const [, buildMs] = timed(() => pool.holding(["the first question waits for the index"]));
const [found, indexMs] = timed(() => answers.map((texts) => pool.holding(texts)));
const same = found.every(
  (places, i) => [...places].sort((a, b) => a - b).join() === [...(scanned[i] ?? [])].join(),
);
const figures = {
  paragraphs: pool.texts.length,
  megabytes: pool.texts.reduce((sum, text) => sum + text.length, 0) / 1e6,
  questions: answers.length,
  scanMsPerQuestion: scanMs / answers.length,
  indexMsPerQuestion: indexMs / answers.length,
  indexBuildMs: buildMs,
  same,
};
process.stdout.write(
  `${figures.paragraphs} paragraphs, ${figures.megabytes.toFixed(1)} million characters, ${figures.questions} questions\n` +
    `scan   ${figures.scanMsPerQuestion.toFixed(2)} ms per question\n` +
    `index  ${figures.indexMsPerQuestion.toFixed(3)} ms per question after ${buildMs.toFixed(0)} ms, ${same ? "the same paragraphs" : "OTHER PARAGRAPHS"}\n`,
);
if (values.json) writeResult(values.json, figures);
if (!same) process.exitCode = 1;

/**
 * Measures what MemAgent costs by document length, over real text streamed from files: tokens through the model, time
 * and peak memory, from 7K tokens to all that the files have. The sampler is scripted (it notes every fifth token of a
 * section, so the memory is always full). Time and memory are therefore those of reading, tokenizing, chunking and
 * prompting; the model's own cost is expressed by its tokens. Each length is read in its own process, and the rounds
 * alternate.
 * Usage: npx tsx --conditions=@palimpsest/source bench/linear-cost.ts --tokenizer FOLDER FILE... [--chunks 5000,512]
 *   [--lengths 7168,14336,...] [--rounds 3] [--json FILE] [--svg FILE]
 * Files: plain text, JSON lines of {title, text}, or a JSON array of them.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type PlotSeries, stackedPlots } from "../packages/learning/evals/src/index.js";
import { loadTokenizer } from "../packages/learning/model/src/index.js";
import type { ReadingFigures } from "./linear-cost/reading.js";
import { writeResult } from "./result-file.js";

const { values: flags, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    tokenizer: { type: "string" },
    chunks: { type: "string", default: "5000,512" },
    lengths: { type: "string", default: "7168,28672,114688,458752,917504" },
    rounds: { type: "string", default: "3" },
    json: { type: "string" },
    svg: { type: "string" },
  },
});
if (flags.tokenizer === undefined || files.length === 0) throw new Error("give --tokenizer FOLDER and files");
const tokenizerFolder = flags.tokenizer;
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
const pieces = join(scratch, "pieces.jsonl");
const warm = join(scratch, "warm.jsonl");

interface Row {
  readonly chunkTokens: number;
  readonly documentTokens: number;
  readonly conversations: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  /** All figures are medians of the rounds. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakLiveBytes: number;
  readonly peakCollectedRssBytes: number;
  readonly peakRssBytes: number;
}

function paragraphsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const rows = file.endsWith(".jsonl")
    ? text
        .split("\n")
        .filter((line) => line !== "")
        .map((line): unknown => JSON.parse(line))
    : file.endsWith(".json")
      ? (JSON.parse(text) as unknown[])
      : text.split(/(?<=\n\n)/);
  return rows.map((row) =>
    typeof row === "string"
      ? row
      : `${(row as { title: string }).title}\n${(row as { text: string }).text}\n\n`,
  );
}

/**
 * Writes the files as JSON strings, one piece per line, and returns the tokens up to each. The last pieces of the last
 * file are for the warm-up.
 */
async function writePieces(path: string, warmPath: string): Promise<number[]> {
  const tokenizer = await loadTokenizer(tokenizerFolder);
  const ends: number[] = [];
  const lines: string[] = [];
  for (const file of files) {
    for (const piece of paragraphsOf(file)) {
      ends.push((ends.at(-1) ?? 0) + tokenizer.encode(piece, { specialTokens: "text" }).length);
      lines.push(JSON.stringify(piece));
    }
  }
  writeFileSync(path, lines.join("\n"));
  writeFileSync(warmPath, lines.slice(-900).join("\n"));
  return ends;
}

function read(count: number, chunkTokens: number): ReadingFigures {
  const script = fileURLToPath(new URL("./linear-cost/reading.ts", import.meta.url));
  const tsx = fileURLToPath(new URL("../node_modules/tsx/dist/cli.mjs", import.meta.url));
  const args = [tsx, "--conditions=@palimpsest/source", "--expose-gc", script];
  const own = [tokenizerFolder, pieces, String(count), String(chunkTokens), warm];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, ...own], { encoding: "utf8" });
  if (status !== 0) throw new Error(`reading ${count} pieces ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as ReadingFigures;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Fits y = a + bx by least squares. */
function lineThrough(points: readonly { readonly x: number; readonly y: number }[]) {
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const slope = mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
  const intercept = y - slope * x;
  const residual = mean((point) => (point.y - intercept - slope * point.x) ** 2);
  return { slope, intercept, rSquared: 1 - residual / mean((point) => (point.y - y) ** 2) };
}

const spread = (values: readonly number[]): number => Math.max(...values) / Math.min(...values) - 1;

try {
  const ends = await writePieces(pieces, warm);
  const total = ends.at(-1) as number;
  const lengths = [
    ...flags.lengths
      .split(",")
      .map(Number)
      .filter((length) => length < total),
    total,
  ];
  const chunkSizes = flags.chunks.split(",").map(Number);
  const found = new Map<string, ReadingFigures[]>();
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const chunkTokens of chunkSizes) {
      for (const length of lengths) {
        const count = ends.findIndex((end) => end >= length) + 1;
        const key = `${chunkTokens}:${length}`;
        found.set(key, [...(found.get(key) ?? []), read(count, chunkTokens)]);
      }
    }
  }
  const rows = [...found.values()].map((rounds): Row => {
    const [first] = rounds as [ReadingFigures];
    return {
      ...first,
      seconds: median(rounds.map(({ seconds }) => seconds)),
      cpuSeconds: median(rounds.map(({ cpuSeconds }) => cpuSeconds)),
      peakLiveBytes: median(rounds.map(({ peakLiveBytes }) => peakLiveBytes)),
      peakCollectedRssBytes: median(rounds.map(({ peakCollectedRssBytes: bytes }) => bytes)),
      peakRssBytes: median(rounds.map(({ peakRssBytes }) => peakRssBytes)),
    };
  });
  const bySize = chunkSizes.map((chunkTokens) => {
    const own = rows.filter((row) => row.chunkTokens === chunkTokens);
    const wall = lineThrough(own.map((row) => ({ x: row.documentTokens, y: row.seconds })));
    const cpu = lineThrough(own.map((row) => ({ x: row.documentTokens, y: row.cpuSeconds })));
    return {
      chunkTokens,
      secondsPerMillionTokens: wall.slope * 1e6,
      rSquared: wall.rSquared,
      cpuRSquared: cpu.rSquared,
      peakLiveSpread: spread(own.map(({ peakLiveBytes }) => peakLiveBytes)),
      peakCollectedRssSpread: spread(own.map(({ peakCollectedRssBytes }) => peakCollectedRssBytes)),
      peakRssSpread: spread(own.map(({ peakRssBytes }) => peakRssBytes)),
    };
  });

  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  console.table(
    rows.map((row) => ({
      chunk: row.chunkTokens,
      document: row.documentTokens,
      conversations: row.conversations,
      prompt: row.promptTokens,
      sampled: row.sampledTokens,
      seconds: row.seconds.toFixed(2),
      "cpu seconds": row.cpuSeconds.toFixed(2),
      "heap MiB": mebibytes(row.peakLiveBytes),
      "resident MiB": mebibytes(row.peakCollectedRssBytes),
      "uncollected MiB": mebibytes(row.peakRssBytes),
    })),
  );
  console.table(
    bySize.map((size) => ({
      chunk: size.chunkTokens,
      "s per million": size.secondsPerMillionTokens.toFixed(2),
      "R²": size.rSquared.toFixed(5),
      "R² of cpu": size.cpuRSquared.toFixed(5),
      "heap max/min": `+${(size.peakLiveSpread * 100).toFixed(2)} %`,
      "resident max/min": `+${(size.peakCollectedRssSpread * 100).toFixed(2)} %`,
      "uncollected max/min": `+${(size.peakRssSpread * 100).toFixed(2)} %`,
    })),
  );
  const result = {
    cpu: cpus()[0]?.model,
    node: process.version,
    files: files.map((file) => basename(file)),
    tokenizer: basename(tokenizerFolder),
    rounds: Number(flags.rounds),
    sizes: bySize,
    rows,
  };
  if (flags.json) writeResult(flags.json, result);
  if (flags.svg) writeFileSync(flags.svg, plotOf(rows, chunkSizes));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function plotOf(rows: readonly Row[], chunkSizes: readonly number[]): string {
  const series = (y: (row: Row) => number): PlotSeries[] =>
    chunkSizes.map((size) => ({
      name: `chunks of ${size} tokens`,
      points: rows
        .filter((row) => row.chunkTokens === size)
        .map((row) => ({ x: row.documentTokens, y: y(row) })),
    }));
  const plot = (title: string, yLabel: string, y: (row: Row) => number) => ({
    title,
    xLabel: "document tokens",
    yLabel,
    yMin: 0,
    series: series(y),
  });
  return stackedPlots([
    plot("Time to read a document, model left out", "seconds", (row) => row.seconds),
    plot("Peak memory: heap after collection", "MiB", (row) => row.peakLiveBytes / 2 ** 20),
    plot("Tokens through the model", "million tokens", (row) => (row.promptTokens + row.sampledTokens) / 1e6),
  ]);
}

/**
 * Evaluates `ask` on 60 short public texts with a question each (bench/data/ask-texts.ts), 30 of one fact and 30 of two.
 * Systems of a model: `ask` as it reads such texts (MemAgent that shows a short text whole), MemAgent in sections, the
 * untrained model with the whole text and no examples, and with the two best passages by BM25. The model
 * `smollm2-memagent` is asked as it was trained. Prints the tables of `eval longqa`; with --json FILE it also writes
 * the figures. Answers are kept in --out, from which an interrupted run goes on.
 *
 *   npx tsx --conditions=@palimpsest/source bench/ask.ts --model MODEL... [--systems ask,rag-bm25] [--limit 20]
 *     [--split development] [--data ../shared/data] [--out FOLDER] [--json bench/results/ask.json]
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { shippedAgentName } from "../packages/apps/cli/src/models/shipped-agent-name.js";
import { askTexts } from "./data/ask-texts.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const values = benchFlags({
  model: [shippedAgentName],
  systems: "ask,sections,full-context,rag-bm25",
  split: "report",
  data: undefined,
  limit: undefined,
  out: undefined,
  json: undefined,
});
const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "packages/apps/cli/bin/palimpsest.js");
const data = values.data ?? join(root, "../shared/data");

/** The settings of `ask` with an untrained model below a billion parameters, and of baselines with its words. */
const settings = `temperature: 0
concurrency: 1
maxLength: 2048
answer: { form: reply, primary: f1 }
systems:
  ask: { kind: agent, agent: memagent, preset: small, settings: { wholeTokens: 1536 } }
  sections: { kind: agent, agent: memagent, preset: small, settings: {} }
reader:
  answerTokens: 48
  contextTokens: 2048
  passages: 2
  passageTokens: 160
  documentPrompt: |-
    Text: {document}

    Question: {question}
    Answer with a few words.
`;
const card = join(root, "recipes/adapters/smollm2-memagent/evaluation.yaml");

/** Runs a palimpsest command and returns its standard output. */
const palimpsest = (...args: readonly string[]) =>
  execFileSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 28,
  });

if (values.split !== "report" && values.split !== "development")
  throw new Error(`--split ${values.split}: give report or development`);
if (!existsSync(data)) throw new Error(`${data} is absent; --data names the folder of the data sets`);
const folder = values.out ?? mkdtempSync(join(tmpdir(), "palimpsest-bench-ask-"));
try {
  mkdirSync(folder, { recursive: true });
  const texts = askTexts(data, values.split);
  // Questions of one fact and of two take turns, so that the first of them are a sample of all.
  const half = texts.length / 2;
  const rows = texts.map((_, i) => texts[(i % 2) * half + (i >> 1)]);
  const source = join(folder, "texts.jsonl");
  writeFileSync(source, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const tasks = join(folder, "tasks.jsonl");
  const kept = ["--keep-fields", "facts", "dataset"];
  palimpsest("data", "prepare", "jsonl", "--input", source, "--out", tasks, ...kept);
  writeFileSync(join(folder, "settings.yaml"), settings);
  const measured = [];
  for (const model of values.model) {
    const isShipped = model === shippedAgentName;
    const load = loadavg()[0];
    const startedAtMs = Date.now();
    const out = join(folder, basename(model));
    const report = palimpsest(
      ...["eval", "longqa", "--input", tasks, "--model", model, "--out", out, "--json"],
      ...["--settings", isShipped ? card : join(folder, "settings.yaml")],
      ...["--systems", isShipped ? "memagent" : values.systems, "--concurrency", "1"],
      ...(values.limit === undefined ? [] : ["--limit", values.limit]),
    );
    const seconds = Math.round((Date.now() - startedAtMs) / 1000);
    process.stdout.write(`${readFileSync(join(out, "report.md"), "utf8")}\n`);
    process.stdout.write(
      `${seconds} s, load at the start ${load?.toFixed(1)}, ${availableParallelism()} cores\n`,
    );
    measured.push({
      model: basename(model),
      load,
      seconds,
      report: JSON.parse(report.replaceAll(model, basename(model))),
    });
  }
  if (values.json !== undefined)
    writeResult(values.json, { machine: { cores: availableParallelism() }, split: values.split, measured });
} finally {
  if (values.out === undefined) rmSync(folder, { recursive: true });
}

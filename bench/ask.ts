/**
 * Evaluates `ask` on 30 short texts with a question each (bench/data/ask.jsonl). The bundled agent is compared with the
 * model that it was trained from (as the same agent, and with the prompts that `ask` gives to an untrained model of
 * that size) and with BM25 followed by a reader of the best passage. Prints the table of `eval longqa`; with --json
 * FILE it also writes the figures.
 *
 *   npx tsx --conditions=@palimpsest/source bench/ask.ts [--limit 30] [--json bench/results/ask.json]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shippedAgentName } from "../packages/apps/cli/src/models/shipped-agent-name.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const values = benchFlags({ limit: undefined, json: undefined });
const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "packages/apps/cli/bin/palimpsest.js");
const untrained = "smollm2-135m-instruct";
const systems = [
  `memagent@${shippedAgentName}`,
  `memagent@${untrained}`,
  `small@${untrained}`,
  `rag-bm25@${untrained}`,
  `rag-bm25@${shippedAgentName}`,
];

/** Runs a palimpsest command and returns its standard output. */
const palimpsest = (...args: readonly string[]) =>
  execFileSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 28,
  });

const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-ask-"));
try {
  const tasks = join(folder, "ask.jsonl");
  palimpsest("data", "prepare", "jsonl", "--input", join(root, "bench/data/ask.jsonl"), "--out", tasks);
  // The settings are those of the adapter's card, with an added system that reads as `ask` does with an untrained model
  // of this size. Questions run one at a time, as in `ask`, so each is sampled with the weights that `ask` chooses.
  const card = readFileSync(join(root, "recipes/adapters/smollm2-memagent/evaluation.yaml"), "utf8");
  const settings = join(folder, "settings.yaml");
  const small = "systems:\n  small: { kind: agent, agent: memagent, preset: small, settings: {} }\n";
  writeFileSync(
    settings,
    card.replace("\nsystems:\n", `\n${small}`).replace(/^concurrency: .*$/m, "concurrency: 1"),
  );
  const load = loadavg()[0];
  const startedAtMs = Date.now();
  const report = palimpsest(
    ...["eval", "longqa", "--input", tasks, "--settings", settings, "--systems", systems.join(",")],
    ...["--out", join(folder, "report"), "--json"],
    ...(values.limit === undefined ? [] : ["--limit", values.limit]),
  );
  const seconds = Math.round((Date.now() - startedAtMs) / 1000);
  process.stdout.write(readFileSync(join(folder, "report/report.md"), "utf8"));
  process.stdout.write(
    `\n${seconds} s, load at the start ${load?.toFixed(1)}, ${availableParallelism()} cores\n`,
  );
  if (values.json !== undefined) {
    const measured = {
      machine: { cores: availableParallelism(), load },
      seconds,
      report: JSON.parse(report),
    };
    writeResult(values.json, measured);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * Measures the seconds from a process's start to its first sampled token and to its first update, with the existing
 * cache of compiled programs: the first round may compile, the second finds its programs.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/warm-start.ts [--shape smollm2|half|tiny] [--rounds 2] [--json
 * FILE]
 */
import { execFileSync } from "node:child_process";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { caseArgs, caseProcess, modelShape, shapes } from "./case.js";

const flags = benchFlags({ shape: "smollm2", rounds: "2", json: undefined });

const shape = shapes[flags.shape as keyof typeof shapes];
const precision = flags.shape === "tiny" ? "float32" : "bfloat16";

function firstToken(): object {
  const case_ = {
    name: "warm start",
    shape: {
      architecture: "llama",
      ...modelShape(shape),
      tieWordEmbeddings: true,
      maxPositions: 1024,
    },
    samplers: [{ rows: 64, workloads: [] }],
    maxLength: 639,
    prompt: [32, 160],
    reply: [33, 40],
    precision,
    mode: "xla",
    cache: "slots",
    seconds: 1,
    prepares: false,
  };
  const said = execFileSync(process.execPath, [...caseArgs("sampler-case.ts"), JSON.stringify(case_)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = said.split("\n").filter((line) => line.startsWith("{"));
  return (
    lines.map((line) => JSON.parse(line) as { what?: string }).find(({ what }) => what === "first tokens") ??
    {}
  );
}

async function firstUpdate(): Promise<object> {
  const began = performance.now();
  const learner = caseProcess("learner", "../learner-case.ts");
  const size = { rows: 8, length: flags.shape === "tiny" ? 64 : 512, threads: 8 };
  const ready = await learner.ask({
    prefer: "tensorflow",
    mode: "xla",
    precision,
    shape: { ...shape, ...size },
  });
  const seconds = (performance.now() - began) / 1000;
  await learner.close();
  const { firstMs } = (ready ?? {}) as { firstMs?: number };
  return {
    secondsToFirstUpdate: Number(seconds.toFixed(2)),
    firstUpdateMs: Math.round(firstMs ?? Number.NaN),
  };
}

const results: object[] = [];
for (let round = 1; round <= Number(flags.rounds); round++) {
  results.push({ round, shape: flags.shape, sampler: firstToken(), learner: await firstUpdate() });
  console.log(JSON.stringify(results.at(-1)));
  if (flags.json !== undefined) writeResult(flags.json, results);
}

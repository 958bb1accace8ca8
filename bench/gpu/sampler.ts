/**
 * Measures the sampler through its own API on one GPU: log-probabilities against float32, then tokens per second of
 * ragged requests that come and go, first tokens cold and warm, memory, and the time of each compiled function.
 * Each case runs in its own process with a time limit, and all together end within the budget. `--tiny` runs the same
 * cases at tiny shapes on a CPU in mode graph, to check that all of it runs.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/sampler.ts [--budget-seconds 560] [--cases REGEXP] [--json FILE]
 * [--tiny]
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { benchFlags } from "../flags.js";
import { shapes } from "../model/shapes.js";
import { writeResult } from "../result-file.js";
import { caseArgs } from "./case.js";
import type { SamplerCase } from "./sampler-case.js";

const flags = benchFlags({ "budget-seconds": "560", cases: "", json: undefined, tiny: false });

const half = shapes["qwen-0.5b"];
const three = { ...half, hiddenSize: 2048, layers: 36, heads: 16, headDim: 128, intermediateSize: 11_008 };
/** Qwen3-4B and Qwen2.5-7B. */
const four = {
  ...three,
  ...{ architecture: "qwen3" as const, hiddenSize: 2560, heads: 32, kvHeads: 8, intermediateSize: 9728 },
};
const seven = {
  ...three,
  ...{ hiddenSize: 3584, layers: 28, heads: 28, kvHeads: 4, intermediateSize: 18_944, vocabSize: 152_064 },
};
const checked = {
  ...half,
  vocabSize: 2048,
  hiddenSize: 256,
  layers: 4,
  heads: 4,
  intermediateSize: 688,
};

interface LimitedCase extends SamplerCase {
  readonly limitSeconds: number;
  readonly environment?: Readonly<Record<string, string>>;
}

const common = {
  maxLength: 639,
  prompt: [32, 160],
  reply: [128, 440],
  precision: "bfloat16",
  mode: "xla",
  cache: "slots",
  seconds: 4,
} as const;

const cases: readonly LimitedCase[] = [
  {
    ...common,
    name: "check",
    shape: checked,
    samplers: [
      { rows: 16, workloads: ["check"] },
      { rows: 16, speculate: true, workloads: ["check"] },
    ],
    maxLength: 400,
    environment: { NVIDIA_TF32_OVERRIDE: "0" },
    limitSeconds: 110,
  },
  {
    ...common,
    name: "0.5B",
    shape: half,
    samplers: [
      { rows: 64, workloads: ["own prompts", "groups"] },
      { rows: 256, workloads: ["own prompts"] },
    ],
    limitSeconds: 240,
  },
  { ...common, name: "0.5B warm", shape: half, samplers: [{ rows: 64, workloads: [] }], limitSeconds: 60 },
  {
    ...common,
    name: "3B",
    shape: three,
    samplers: [{ rows: 64, workloads: ["own prompts"] }],
    limitSeconds: 170,
  },
  ...(
    [
      ["3B", three, 64],
      ["4B", four, 40],
      ["7B", seven, 64],
    ] as const
  ).map(([name, shape, rows]) => ({
    ...common,
    name: `${name}, long prompts`,
    shape: { ...shape, maxPositions: 8192, tieWordEmbeddings: name !== "7B" },
    samplers: [{ rows, workloads: ["own prompts"] as const }],
    maxLength: 7743,
    prompt: [2200, 7200] as const,
    reply: [300, 500] as const,
    seconds: 25,
    limitSeconds: 400,
  })),
  ...(
    [
      ["0.5B", half, [64, 128]],
      ["3B", three, [16, 64]],
    ] as const
  ).map(([name, shape, rows]) => ({
    ...common,
    name: `${name}, guesses`,
    shape: { ...shape, maxPositions: 8192, tieWordEmbeddings: false },
    copies: true,
    prepares: false,
    samplers: [true, false].flatMap((speculate) =>
      rows.map((count) => ({ rows: count, speculate, workloads: ["inventing", "copying"] as const })),
    ),
    maxLength: 2751,
    prompt: [1500, 2200] as const,
    reply: [300, 500] as const,
    seconds: 5,
    limitSeconds: 300,
  })),
  ...(
    [
      ["0.5B", half, 256, [64, 256, 16, 128]],
      ["3B", three, 64, [16, 64]],
      ["7B", { ...seven, tieWordEmbeddings: false }, 64, [16, 64]],
    ] as const
  ).map(([name, shape, rows, clients]) => ({
    ...common,
    name: `${name}, few active`,
    shape,
    samplers: [{ rows, clients, workloads: ["own prompts"] as const }],
    seconds: 3,
    limitSeconds: 150,
  })),
  {
    ...common,
    name: "0.5B, used lengths",
    shape: { ...half, maxPositions: 8192 },
    prepares: false,
    samplers: (
      [
        [200, 400],
        [2200, 2600],
        [6800, 7200],
      ] as const
    ).map((prompt) => ({
      ...{ rows: 64, clients: [64], prompt, workloads: ["own prompts"] as const },
    })),
    maxLength: 7743,
    limitSeconds: 160,
  },
  {
    ...common,
    name: "0.5B truncated",
    shape: half,
    samplers: [{ rows: 64, workloads: ["truncated"] }],
    limitSeconds: 110,
  },
];

const results: object[] = [];
const deadline = performance.now() + Number(flags["budget-seconds"]) * 1000;

/** Shrinks a case so that it runs on a CPU in a few seconds. */
function tiny(given: LimitedCase): LimitedCase {
  const { tieWordEmbeddings } = given.shape as { readonly tieWordEmbeddings?: boolean };
  const small = { vocabSize: 128, hiddenSize: 32, layers: 2, headDim: 8, intermediateSize: 48 };
  const shape = { ...checked, ...small, tieWordEmbeddings };
  const isCopying = given.copies === true;
  const [prompt, reply] = isCopying
    ? ([
        [150, 200],
        [90, 120],
      ] as const)
    : ([
        [4, 20],
        [4, 20],
      ] as const);
  const lengths = { maxLength: 340, prompt, reply };
  const samplers = given.samplers.map(({ prompt: _, ...sampler }) => ({
    ...sampler,
    rows: sampler.rows / 16,
    ...(sampler.clients === undefined ? {} : { clients: sampler.clients.map((count) => count / 16) }),
  }));
  const setup = { mode: "graph", precision: "float32", cache: "slots", seconds: 1 } as const;
  return { ...given, shape, ...lengths, ...setup, samplers, limitSeconds: 250 };
}

async function runCase({ limitSeconds, environment, ...setup }: LimitedCase): Promise<void> {
  const left = (deadline - performance.now()) / 1000;
  if (left < 5) {
    keep({ case: setup.name, failed: "the budget was spent before it began" });
    return;
  }
  const args = [...caseArgs("sampler-case.ts"), JSON.stringify(setup)];
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
  const limit = Math.min(limitSeconds, left);
  const timer = setTimeout(() => child.kill("SIGKILL"), limit * 1000);
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? String(code)));
  });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith("{")) keep(JSON.parse(line) as object);
  const how = await ended;
  clearTimeout(timer);
  if (how !== "0")
    keep({ case: setup.name, failed: `ended with ${how}; its limit was ${Math.round(limit)} s` });
}

function keep(result: object): void {
  results.push(result);
  console.log(JSON.stringify(result));
  // The file is written after each case, so that nothing is lost if a later one hangs.
  if (flags.json !== undefined) writeResult(flags.json, results);
}

const wanted = new RegExp(flags.cases);
for (const given of cases) if (wanted.test(given.name)) await runCase(flags.tiny ? tiny(given) : given);

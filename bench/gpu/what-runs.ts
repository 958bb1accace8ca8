/**
 * Writes the table of docs/guides/gpu.md that says what runs on how many GPUs: of each full-size recipe, with all weights and with adapters,
 * what the planner makes of 1, 4, 8 and four times 8 GPUs; and the runs that were measured.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/what-runs.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  builtinRecipesDir,
  planRun,
  type Recipe,
  type RunGpus,
  readRecipe,
  recipeForGpus,
} from "../../packages/learning/trainer/src/index.js";

/** The guide with the table. */
export const guide = new URL("../../docs/guides/gpu.md", import.meta.url);
const [begin, end] = ["<!-- bench/gpu/what-runs.ts writes this table -->", "<!-- end of the table -->"];

const rows = [
  ["MemAgent, Qwen3-4B as in vime", "memagent/qwen3-4b-vime"],
  ["MemAgent, 7B", "memagent/qwen2.5-7b"],
  ["MemAgent, 14B, GPUs of 141 GB", "memagent/qwen2.5-14b"],
  ["ReMemR1, 3B", "rememr1/qwen2.5-3b"],
  ["ReMemR1, 7B", "rememr1/qwen2.5-7b"],
  ["MemUpdate, 3B", "memupdate/qwen2.5-3b-locomo"],
] as const;
const columns: readonly (readonly [string, RunGpus])[] = [
  ["1 GPU", { nodes: 1, gpusPerNode: 1 }],
  ["4", { nodes: 1, gpusPerNode: 4 }],
  ["8", { nodes: 1, gpusPerNode: 8 }],
  ["4 × 8", { nodes: 4, gpusPerNode: 8 }],
];
/** docs/measured.md; the steps of bench/results/gpu-smollm2-hotpotqa.json and gpu-qwen2.5-0.5b.json. */
const measured = [
  ["MemAgent, SmolLM2-135M", "adapters", "**0.58 s; 4 min**", "", "", ""],
  ["MemAgent, 0.5B, an earlier recipe, one H200", "adapters", "**45 GiB; 3.5 s**", "", "", ""],
];

function duration(seconds: number): string {
  const units = [
    [90, 1, "s"],
    [5400, 60, "min"],
    [172_800, 3600, "h"],
    [Number.POSITIVE_INFINITY, 86_400, "days"],
  ] as const;
  const [, size, unit] = units.find(([below]) => seconds < below) ?? units[3];
  return `${Number((seconds / size).toPrecision(2))} ${unit}`;
}

const gib = (bytes: number) => Math.round(bytes / 2 ** 30);
/** No model or file of this machine is looked at, so that the table is the same everywhere. */
const options = { cacheDir: "/nowhere", memoryBytes: 0 };

/** One cell: GPUs of learner and samplers, GiB on each, expected seconds of a step and of the run; what is missing where it does not fit. */
async function cellOf(recipe: Recipe, gpus: RunGpus): Promise<string> {
  const own = await recipeForGpus(recipe, gpus, options);
  const { gpusPerNode: _, ...plan } = own.plan ?? { questionTokens: 32 };
  const { problems, needs, time } = await planRun({ ...own, plan }, options);
  if (problems.length > 0) {
    const [, more] = /learner\.replicas and learnerGpus to (\d+)/.exec(problems.join()) ?? [];
    return more === undefined ? "no" : `no: its learner needs ${more}`;
  }
  const hosts = own.learnerActors > 1 ? `${own.learnerActors} × ` : "";
  const split = own.learnerGpus < 1 ? "shared" : `${hosts}${own.learnerGpus} + ${own.rollout.actors}`;
  const bytes = [needs.learnerDeviceBytes, needs.rolloutDeviceBytes].map(gib).join(" + ");
  const seconds = [time.expected.total, time.expectedTotalSeconds].map(duration).join("; ");
  return `${split}; ${bytes} GiB; ${seconds}`;
}

/** The table in Markdown. */
export async function whatRuns(): Promise<string> {
  const lines: string[][] = [];
  for (const [name, file] of rows) {
    const { recipe } = readRecipe(join(builtinRecipesDir, `${file}.yaml`));
    const { learner } = recipe;
    const lora = { rank: 64, alpha: 128, targets: "all-linear" as const };
    for (const [weights, of] of [
      ["all", recipe],
      ["adapters", { ...recipe, learner: { ...learner, lora } }],
    ] as const) {
      const cells: string[] = [];
      for (const [, gpus] of columns) cells.push(await cellOf(of, gpus));
      lines.push([name, weights, ...cells]);
    }
  }
  const table = [
    ["recipe", "weights", ...columns.map(([text]) => text)],
    ["---", "---", ...columns.map(() => "---")],
    ...measured,
    ...lines,
  ];
  return table.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Returns the guide with this table. */
export function guideWith(text: string, table: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(guide, guideWith(readFileSync(guide, "utf8"), await whatRuns()));
}

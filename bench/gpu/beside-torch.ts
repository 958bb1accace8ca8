/**
 * Measures updates and sampling on one GPU beside PyTorch in the same run: tokens per second, memory, seconds until the
 * first update. PyTorch is Hugging Face's Qwen2 in bfloat16, eager and with `torch.compile`, sampling by `generate`.
 * Each system runs in its own process, one after the other. Without torch and transformers PyTorch's columns are empty.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/beside-torch.ts [--cases REGEXP] [--seconds 6] [--python
 * python3] [--json FILE]
 */
import { fileURLToPath } from "node:url";
import { Contender, median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { caseProcess, type Shape, shapes } from "./case.js";
import { GpuMemoryWatch } from "./memory-watch.js";
import { sampledBy } from "./sampled-by.js";

const flags = benchFlags({ cases: "", seconds: "6", python: "python3", json: undefined });

const { half, one, three } = shapes;

interface UpdateCase {
  readonly shape: Shape;
  readonly rows: number;
  readonly length: number;
  /** The variants of PyTorch that are measured. */
  readonly peers: readonly { readonly compile?: boolean; readonly checkpointing?: boolean }[];
  readonly places?: "all" | "shared";
  /** Replaces fields of the learner's `memory`. */
  readonly memory?: object;
}

const updates: Readonly<Record<string, UpdateCase>> = {
  "update 0.5B 8x2048": { shape: half, rows: 8, length: 2048, peers: [{}, { compile: true }] },
  "update 0.5B 8x2048 shared prompts": { shape: half, rows: 8, length: 2048, peers: [], places: "shared" },
  "update 1.5B 4x2048": { shape: one, rows: 4, length: 2048, peers: [{}] },
  "update 3B 4x2048": {
    shape: three,
    rows: 4,
    length: 2048,
    peers: [{ checkpointing: true }],
    memory: { keep: "nothing", accumulators: "none" },
  },
};
const decodes: Readonly<Record<string, { readonly shape: Shape; readonly rows: number }>> = {
  "decode 0.5B 64 rows": { shape: half, rows: 64 },
  "decode 0.5B 256 rows": { shape: half, rows: 256 },
  "decode 3B 64 rows": { shape: three, rows: 64 },
};

/** Runs without LD_LIBRARY_PATH, which names the libraries that TensorFlow opens: PyTorch finds its own. */
function torch(name: string): Contender {
  const args = [
    "-u",
    "LD_LIBRARY_PATH",
    flags.python,
    fileURLToPath(new URL("../peers/torch_gpu.py", import.meta.url)),
  ];
  return new Contender(name, "env", args, "inherit");
}

interface Row {
  readonly case: string;
  readonly contender: string;
  readonly tokensPerSecond?: number;
  readonly peakMiB?: number | undefined;
  readonly firstUpdateSeconds?: number;
  readonly failed?: string;
}

const rows: Row[] = [];
function tell(row: Row): void {
  rows.push(row);
  console.log(JSON.stringify(row));
  // The file is written after each case, so that nothing is lost if a later one hangs.
  if (flags.json !== undefined) writeResult(flags.json, rows);
}

type Answer = Readonly<Record<string, number>>;

async function measureUpdates(
  name: string,
  what: string,
  contender: Contender,
  setup: object,
  tokens: number,
): Promise<void> {
  const watch = new GpuMemoryWatch();
  const ready = (await contender.ask(setup)) as Answer | undefined;
  if (ready === undefined) {
    watch.end();
    return tell({ case: name, contender: what, failed: "ended before its first update" });
  }
  const rates: number[] = [];
  for (const seconds of [1, Number(flags.seconds), Number(flags.seconds)]) {
    const turn = (await contender.ask({ seconds })) as Answer | undefined;
    if (turn === undefined) break;
    rates.push((tokens * (turn["updates"] ?? 0)) / (turn["seconds"] ?? 0));
  }
  await contender.close();
  tell({
    case: name,
    contender: what,
    tokensPerSecond: Math.round(median(rates.slice(1))),
    peakMiB: watch.end(),
    firstUpdateSeconds: Number(((ready["firstMs"] ?? 0) / 1000).toFixed(1)),
  });
}

const wanted = new RegExp(flags.cases);
for (const [name, { shape, rows: rowCount, length, peers, places, memory }] of Object.entries(updates)) {
  if (!wanted.test(name)) continue;
  const tokens = rowCount * length;
  const learner = caseProcess(name, "../learner-case.ts");
  const own = {
    prefer: "tensorflow",
    mode: "xla",
    precision: "bfloat16",
    memory: { logitsMb: 2600, ...memory },
    ...(places ? { places } : {}),
    shape: { ...shape, rows: rowCount, length, threads: 8 },
  };
  await measureUpdates(name, "palimpsest", learner, own, tokens);
  for (const form of peers) {
    const what = form.compile ? "torch.compile" : form.checkpointing ? "torch, checkpointing" : "torch";
    await measureUpdates(name, what, torch(what), { shape, rows: rowCount, length, ...form }, tokens);
  }
}

const promptTokens: readonly [number, number] = [32, 160];
const newTokens: readonly [number, number] = [128, 440];
const mean = ([least, most]: readonly [number, number]): number => (least + most) / 2;
for (const [name, { shape, rows: rowCount }] of Object.entries(decodes)) {
  if (!wanted.test(name)) continue;
  tell({
    case: name,
    contender: "palimpsest",
    ...(await sampledBy({ shape, rows: rowCount, promptTokens, newTokens, seconds: Number(flags.seconds) })),
  });
  const watch = new GpuMemoryWatch();
  const peer = torch("transformers generate");
  await peer.ask({ shape, promptTokens: mean(promptTokens), newTokens: mean(newTokens) });
  const wave = (await peer.ask({ batch: rowCount })) as Answer | undefined;
  await peer.close();
  tell({
    case: name,
    contender: "transformers generate",
    ...(wave
      ? { tokensPerSecond: Math.round(wave["tokensPerSecond"] ?? Number.NaN), peakMiB: watch.end() }
      : { failed: "ended before its first wave" }),
  });
}
console.table(rows);
process.exit(0);

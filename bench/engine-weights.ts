/**
 * Measures how a running vLLM gets weights while it samples: whole ones in bfloat16 from shared memory, in float32 from a
 * disk, and adapters alone; and how long a request that runs is held up meanwhile; --in-flight does not wait for it. The server needs --served-model-name policy,
 * --enable-lora, --max-lora-rank 8, VLLM_SERVER_DEV_MODE=1 and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True.
 * `npx tsx --conditions=@palimpsest/source bench/engine-weights.ts --url http://127.0.0.1:8000 --model FOLDER`
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpSampler } from "@palimpsest/engines";
import { initLora, loadModel, loraConfigSchema, loraForm, saveAdapters, saveModel } from "@palimpsest/model";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const values = benchFlags({
  url: undefined,
  model: undefined,
  rounds: "5",
  "in-flight": false,
  json: undefined,
});
if (values.url === undefined || values.model === undefined) throw new Error("--url and --model are needed");
const model = await loadModel(values.model);
const lora = loraConfigSchema.parse({ rank: 8 });
const weightUpdates = values["in-flight"] ? "in-flight" : "drained";
const sampler = new HttpSampler({ url: values.url, kind: "vllm", model: "policy", weightUpdates });

const memory = mkdtempSync("/dev/shm/engine-weights-");
const disk = mkdtempSync(join(tmpdir(), "engine-weights-"));
const seconds = async (work: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};
const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
/** A request of 64 tokens, and the longest wait between two pieces of it. */
async function longestWait(): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const onTokens = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const request = { maxTokens: 64, temperature: 1, stopTokenIds: [], seed: 1, onTokens };
  const promptTokenIds = Array.from({ length: 100 }, (_, i) => 1000 + i);
  await sampler.generate({ ...request, promptTokenIds });
  return longest / 1000;
}

const ways = {
  "whole, bfloat16, shared memory": { dtype: "bfloat16", root: memory },
  "whole, float32, disk": { dtype: "float32", root: disk },
  "adapters of rank 8, shared memory": undefined,
} as const;
const rows: object[] = [];
try {
  for (const [way, whole] of Object.entries(ways)) {
    const figures: { written: number; loaded: number; waited: number }[] = [];
    let bytes = 0;
    for (let version = 1; version <= Number(values.rounds); version++) {
      const path = join(whole?.root ?? memory, `version-${version}`);
      const adapters = initLora(model.config, loraForm(lora), version);
      const written = await seconds(async () => {
        if (whole === undefined) await saveAdapters(path, model.config, { lora, adapters });
        else await saveModel(path, model, { dtype: whole.dtype });
      });
      const file = whole === undefined ? "adapter_model.safetensors" : "model.safetensors";
      bytes = statSync(join(path, file)).size;
      const weights = { path, policyVersion: version, weightsHash: "" };
      const running = longestWait();
      const loaded = await seconds(() =>
        whole === undefined
          ? sampler.loadAdapters({ name: `policy-${version}`, ...weights })
          : sampler.reloadWeights(weights),
      );
      figures.push({ written, loaded, waited: await running });
      if (version > 1) rmSync(join(path, "..", `version-${version - 1}`), { recursive: true });
    }
    const of = (figure: keyof (typeof figures)[number]) =>
      Math.round(median(figures.map((each) => each[figure])) * 1000) / 1000;
    const row = { way, mib: Math.round(bytes / 2 ** 20), written: of("written"), loaded: of("loaded") };
    rows.push({ ...row, longestWait: of("waited") });
    process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`);
  }
} finally {
  for (const folder of [memory, disk]) rmSync(folder, { recursive: true, force: true });
  await sampler.close();
}
if (values.json !== undefined) writeResult(values.json, { rounds: Number(values.rounds), rows });

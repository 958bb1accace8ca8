import { existsSync } from "node:fs";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBackend } from "@palimpsest/jit";
import { loadModel } from "@palimpsest/model";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { passes } from "../measure.js";
import { checkReference } from "./check-reference.js";
import { type LossCase, readReferenceNumbers } from "./reference-numbers.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const fixtures = `${shared}/fixtures/hf-parity`;
const missing = !existsSync(fixtures);
if (missing)
  process.stderr.write(`skipped: no reference numbers at ${fixtures} (PALIMPSEST_SHARED moves it)\n`);

describe.skipIf(missing)("a model beside the numbers of transformers and PyTorch", () => {
  it.each([
    // Each family on each backend is what hf-parity.test.ts and conformance.test.ts compare.
    ["qwen3", "tensorflow", "graph"],
    ["qwen2", "tensorflow", "eager"],
    ["llama", "wasm", "eager"],
  ] as const)("is within every bar: %s on %s, mode %s", async (family, prefer, mode) => {
    const folder = `${fixtures}/${family}`;
    const backend = await loadBackend({ prefer });
    const reference = await readReferenceNumbers(folder);
    const measures = await checkReference(await loadModel(folder), reference, { backend, mode });
    expect(measures.filter((measure) => !passes(measure))).toEqual([]);
    expect(measures).toHaveLength(36);
  });

  it("is distinguished from a reference that differs, in exactly what differs", async () => {
    const folder = `${fixtures}/llama`;
    const right = await readReferenceNumbers(folder);
    const of = (name: string) => right.losses.get(name) as LossCase;
    const bent = (values: Float32Array, by: number) =>
      values.map((value, i) => (i === 3 ? value + by : value));
    const flipped = Object.entries(right.gradients).map(([name, { shape, values }]) => {
      const turned = name === "model.norm.weight" ? Float32Array.from(values, (value) => -value) : values;
      return [name, { shape, values: turned }] as const;
    });
    const [first = 0, ...rest] = right.greedy.continuation;
    const wrong = {
      ...right,
      logprobs: bent(right.logprobs, 2e-4),
      entropy: bent(right.entropy, -2e-4),
      logprobsAfterAdamw: bent(right.logprobsAfterAdamw, 1e-3),
      gradients: Object.fromEntries(flipped),
      greedy: { ...right.greedy, continuation: [first + 1, ...rest] },
      losses: new Map(right.losses)
        .set("dapo", { ...of("dapo"), loss: of("dapo").loss + 3e-5 })
        .set("seq_sum", { ...of("seq_sum"), grad_norm: of("seq_sum").grad_norm * 1.001 })
        .set("seq_mean", { ...of("seq_mean"), clip_fraction: 0, kl_k3: 0 }),
    };
    const backend = await loadBackend({ prefer: "tensorflow" });
    const measures = await checkReference(await loadModel(folder), wrong, { backend, mode: "eager" });
    const failed = measures.filter((measure) => !passes(measure));
    expect(failed.map(({ name }) => name)).toEqual([
      "log-probabilities",
      "entropy",
      "gradients: least cosine of 30",
      "gradients: greatest relative difference",
      "dapo: loss",
      "seq_mean: kl_k3",
      "seq_mean: clip_fraction",
      "seq_sum: grad_norm (relative)",
      "3 AdamW steps: log-probabilities after",
      "greedy continuation: other tokens of 20",
    ]);
    expect(failed[2]?.where).toBe("finalNorm");
  });

  it("is not compared with a reference that lacks a field, a tensor or a row", async () => {
    const folder = testFolder();
    const refused = async (words: string) => {
      await expect(readReferenceNumbers(folder)).rejects.toMatchObject({ code: "REFERENCE_INVALID" });
      await expect(readReferenceNumbers(folder)).rejects.toThrow(words);
    };
    await refused("reference.json: cannot be read");
    const json = JSON.parse(await readFile(`${fixtures}/llama/reference.json`, "utf8"));
    await writeFile(join(folder, "reference.json"), JSON.stringify({ ...json, adamw: undefined }));
    await refused("adamw");
    const noLoss = { ...json, mine: { ...json.dapo, loss: undefined } };
    await writeFile(join(folder, "reference.json"), JSON.stringify(noLoss));
    await copyFile(`${fixtures}/llama/reference.safetensors`, join(folder, "reference.safetensors"));
    await refused("mine: ");
    await rm(join(folder, "reference.safetensors"));
    await writeFile(join(folder, "reference.json"), JSON.stringify({ ...json, advantages: [1] }));
    await refused("reference.safetensors: cannot be read");
    await copyFile(`${fixtures}/llama/reference.safetensors`, join(folder, "reference.safetensors"));
    await refused("1 advantages for 3 rows");
    await writeFile(join(folder, "reference.json"), JSON.stringify(json));
    await copyFile(`${fixtures}/llama/model.safetensors`, join(folder, "reference.safetensors"));
    await refused("has no input_ids");
  });
});

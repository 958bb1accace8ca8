import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { sizeOf } from "@palimpsest/jit";
import { expect, it } from "vitest";
import { bundledProgram } from "../../../../../test/support/bundled-program.js";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { parameterShapes } from "../base/parameters.js";
import { aConfig } from "./model.fixture.js";
import { saveModel } from "./model-folder.js";

const MiB = 2 ** 20;

const folder = fileFolder();

// Stated bound: the weights and one shard. Measured: the weights and a few pieces of a few MiB.
it("a model of 200 MB is loaded and written with its weights and a few MiB in memory", async () => {
  const config = aConfig({
    vocabSize: 8192,
    hiddenSize: 1024,
    layers: 4,
    heads: 8,
    kvHeads: 8,
    headDim: 128,
    intermediateSize: 1536,
  });
  const parameters = Object.fromEntries(
    Object.entries(parameterShapes(config)).map(([name, shape]) => [
      name,
      new Float32Array(sizeOf(shape)).fill(0.5),
    ]),
  );
  await saveModel(join(folder, "m"), { config, parameters });
  const program = bundledProgram(new URL("load-memory.fixture.ts", import.meta.url));
  const load = async (from: string, copy: string) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[program, join(folder, from), join(folder, copy)],
    ]);
    return JSON.parse(stdout);
  };
  // As float32 in one file, then as bfloat16 in shards.
  for (const [from, copy] of [
    ["m", "shards"],
    ["shards", "again"],
  ] as const) {
    const { weightBytes, loadedBytes, savedBytes, peakExternalBytes } = await load(from, copy);
    expect(weightBytes, from).toBeGreaterThan(200e6);
    expect(peakExternalBytes, from).toBeLessThan(weightBytes + 20 * MiB);
    // Resident memory also holds what V8 has compiled meanwhile, which is 20 MB more with Node.js 24. A copy would be 200 MB.
    expect(loadedBytes, from).toBeLessThan(weightBytes + 60 * MiB);
    expect(savedBytes, from).toBeLessThan(weightBytes + 120 * MiB);
  }
  expect((await readdir(join(folder, "shards"))).length).toBeGreaterThan(5);
});

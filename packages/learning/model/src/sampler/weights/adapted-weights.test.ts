/** Adapters merged where a sampler computes, held against `mergeLora` and the packing on the host. */
import { jit, loadBackend } from "@palimpsest/jit";
import { describe, expect, it, onTestFinished } from "vitest";
import { initLora, type LoraConfig, loraConfigSchema, loraForm, mergeLora } from "../../base/lora.js";
import { initParameters, type Parameters } from "../../base/parameters.js";
import { aConfig } from "../../files/model.fixture.js";
import { createSampler, type ModelSampler } from "../model-sampler.js";
import { AdaptedWeights } from "./adapted-weights.js";
import { packedValues } from "./packed-values.fixture.js";
import { isMatrix, packedShapes } from "./packed-weights.js";

const allLinear = loraConfigSchema.parse({ rank: 3, alpha: 5 });
const backend = await loadBackend();

/** Adapters that say something: fresh ones are zero. */
function someAdapters(config: ReturnType<typeof aConfig>, lora: LoraConfig, seed: number): Parameters {
  const adapters = initLora(config, loraForm(lora), seed);
  for (const [name, values] of Object.entries(adapters))
    if (name.endsWith(".loraB")) values.set(values.map((_, i) => Math.sin(i * 0.7 + seed)));
  return adapters;
}

function largestDifference(left: ArrayLike<number>, right: ArrayLike<number>): number {
  expect(left.length).toBe(right.length);
  let most = 0;
  for (let i = 0; i < left.length; i++)
    most = Math.max(most, Math.abs((left[i] as number) - (right[i] as number)));
  return most;
}

const cases = (["llama", "qwen2", "qwen3", "gemma3"] as const).flatMap((architecture) =>
  (["layers", "stacks", "transposed", "table"] as const).map((layout) => ({ architecture, layout })),
);

describe.each(cases)("adapters over $architecture in the layout $layout", ({ architecture, layout }) => {
  // One architecture is compiled and made a graph; the others differ in what is not merged.
  const modes = (["eager", "graph", "xla"] as const).slice(0, architecture === "llama" ? 3 : 1);
  it.each(modes)("merge as on the host, in mode %s (ADAPTED-1)", (mode) => {
    const config = aConfig({ architecture, layers: 3 });
    for (const lora of [allLinear, { ...allLinear, targets: ["v_proj" as const, "gate_proj" as const] }]) {
      // Two layers at once, and then the third.
      const adapted = new AdaptedWeights({ config, lora, layout, stored: "float32", mergedAtOnce: 200 });
      const packed = Object.entries(packedShapes(config, layout)).map(
        ([name, shape]) => [name, { shape, dtype: "float32" as const }] as const,
      );
      const state = { ...Object.fromEntries(packed), ...adapted.state };
      const module = jit({ backend, mode, state, functions: adapted.functions });
      const base = initParameters(config, 1);
      for (const _ of adapted.writeWeights(module, base));
      const expected = (parameters: Parameters) => packedValues(config, parameters, layout);
      const check = (parameters: Parameters) => {
        const written = module.readState();
        for (const [name, values] of expected(parameters))
          expect(largestDifference(written[name] ?? [], values), name).toBeLessThan(1e-6);
      };
      check(base);
      for (const seed of [2, 3]) {
        const adapters = someAdapters(config, lora, seed);
        adapted.writeAdapters(module, adapters);
        check(mergeLora(config, base, adapters, lora));
      }
      module.dispose();
    }
  });
});

it("stores base and merged matrices in bfloat16 where that is asked for", () => {
  const config = aConfig({ layers: 2 });
  const adapted = new AdaptedWeights({ config, lora: allLinear, layout: "table", stored: "bfloat16" });
  const packed = Object.entries(packedShapes(config, "table")).map(([name, shape]) => {
    const stored = isMatrix(name) ? ("bfloat16" as const) : ("float32" as const);
    return [name, { shape, dtype: "float32" as const, stored }] as const;
  });
  const state = { ...Object.fromEntries(packed), ...adapted.state };
  const module = jit({ backend, mode: "xla", state, functions: adapted.functions, precision: "bfloat16" });
  const base = initParameters(config, 1);
  const adapters = someAdapters(config, allLinear, 2);
  for (const _ of adapted.writeWeights(module, base));
  adapted.writeAdapters(module, adapters);
  const written = module.readState();
  for (const [name, values] of packedValues(config, mergeLora(config, base, adapters, allLinear), "table")) {
    const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    // The base, both adapters and their sum are rounded, each to 8 bits.
    expect(largestDifference(written[name] ?? [], values), name).toBeLessThan(2 ** -6 * most);
  }
  module.dispose();
});

it("loses nothing of what adapters add to a base in bfloat16, though each sum is rounded (ADAPTED-3)", () => {
  const config = aConfig({ layers: 2, hiddenSize: 64, intermediateSize: 96 });
  const lora = loraConfigSchema.parse({ rank: 4, alpha: 4 });
  const adapted = new AdaptedWeights({ config, lora, layout: "table", stored: "bfloat16" });
  const packed = Object.entries(packedShapes(config, "table")).map(([name, shape]) => {
    const stored = isMatrix(name) ? ("bfloat16" as const) : ("float32" as const);
    return [name, { shape, dtype: "float32" as const, stored }] as const;
  });
  const state = { ...Object.fromEntries(packed), ...adapted.state };
  const module = jit({ backend, mode: "graph", state, functions: adapted.functions, precision: "bfloat16" });
  const rounded = (values: Float32Array) => {
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    return new Float32Array(bits.map((own) => (own + 0x7fff + ((own >>> 16) & 1)) & 0xffff0000).buffer);
  };
  const base = Object.fromEntries(
    Object.entries(initParameters(config, 1)).map(([name, values]) => [name, rounded(values)]),
  );
  // A first step of Adam: far below half a unit in the last place of most weights.
  const adapters = someAdapters(config, lora, 2);
  for (const [name, values] of Object.entries(adapters))
    if (name.endsWith(".loraB")) values.set(values.map((value) => value * 2e-5));
  for (const _ of adapted.writeWeights(module, base));
  const before = module.readState();
  for (const [name, values] of packedValues(config, base, "table"))
    expect(before[name], name).toEqual(rounded(values));
  adapted.writeAdapters(module, adapters);
  const after = module.readState();
  for (const [name, values] of packedValues(config, mergeLora(config, base, adapters, lora), "table")) {
    if (!isMatrix(name) || name === "embedding" || name === "head") continue;
    const plain = packedValues(config, base, "table").find(([own]) => own === name)?.[1] as Float32Array;
    let [along, square] = [0, 0];
    values.forEach((value, i) => {
      const added = value - (plain[i] as number);
      along += added * ((after[name]?.[i] as number) - (before[name]?.[i] as number));
      square += added * added;
    });
    expect(Math.abs(along / square - 1), name).toBeLessThan(0.35);
  }
  module.dispose();
});

it("adds no noise in mode eager, which rounds nothing", () => {
  const config = aConfig({ layers: 2 });
  const adapted = new AdaptedWeights({ config, lora: allLinear, layout: "table", stored: "bfloat16" });
  const packed = Object.entries(packedShapes(config, "table")).map(
    ([name, shape]) => [name, { shape, dtype: "float32" as const }] as const,
  );
  const state = { ...Object.fromEntries(packed), ...adapted.state };
  const module = jit({ backend, mode: "eager", state, functions: adapted.functions });
  const base = Object.fromEntries(
    Object.entries(initParameters(config, 1)).map(([name, { length }]) => [
      name,
      // Values that bfloat16 has.
      Float32Array.from({ length }, (_, i) => (1 + (i % 128) / 128) / 64),
    ]),
  );
  for (const _ of adapted.writeWeights(module, base));
  const written = module.readState();
  for (const [name, values] of packedValues(config, base, "table"))
    expect(largestDifference(written[name] ?? [], values), name).toBeLessThan(1e-8);
  module.dispose();
});

describe("a sampler with adapters", () => {
  const config = aConfig({ vocabSize: 40, hiddenSize: 16, layers: 2 });
  const scheme = { projectionStd: 0.3, residualStd: 0.3, headStd: 0.4 };
  const base = initParameters(config, 1, scheme);
  const sampler = (parameters: Parameters, lora?: LoraConfig) => {
    const made = createSampler({ backend, config, parameters, maxLength: 32, mode: "eager", lora });
    onTestFinished(() => made.close());
    return made;
  };
  const asked = (made: ModelSampler) =>
    made.generate({ promptTokenIds: [3, 1, 4], maxTokens: 12, temperature: 1, stopTokenIds: [], seed: 5 });
  const tokensOf = async (made: ModelSampler) => (await asked(made)).tokenIds;

  it("samples what the merged model samples, and names its version and hash", async () => {
    const adapters = someAdapters(config, allLinear, 2);
    const own = sampler(base, allLinear);
    expect(await tokensOf(own)).toEqual(await tokensOf(sampler(base)));
    await own.setAdapters(adapters, 4, "of the adapters");
    const result = await asked(own);
    expect(result).toMatchObject({ policyVersion: 4, weightsHash: "of the adapters" });
    const merged = await asked(sampler(mergeLora(config, base, adapters, allLinear)));
    expect(result.tokenIds).toEqual(merged.tokenIds);
    expect(largestDifference(result.rolloutLogprobs, merged.rolloutLogprobs)).toBeLessThan(1e-4);
    expect(result.tokenIds).not.toEqual(await tokensOf(sampler(base)));
  });

  it("takes the newest of several changes, and adapters over the whole weights that came with them", async () => {
    const own = sampler(base, allLinear);
    const second = initParameters(config, 2, scheme);
    const adapters = someAdapters(config, allLinear, 3);
    await Promise.all([
      own.setAdapters(someAdapters(config, allLinear, 2), 1),
      own.setWeights(second, 2),
      own.setAdapters(adapters, 3),
    ]);
    expect(own.policyVersion).toBe(3);
    expect(await tokensOf(own)).toEqual(
      await tokensOf(sampler(mergeLora(config, second, adapters, allLinear))),
    );
    await own.setWeights(base, 4);
    expect(await tokensOf(own)).toEqual(await tokensOf(sampler(base)));
  });

  it("keeps the adapters that it has where new ones are refused (WEIGHTCHANGE-1)", async () => {
    const own = sampler(base, allLinear);
    const adapters = someAdapters(config, allLinear, 2);
    await own.setAdapters(adapters, 1);
    const before = await tokensOf(own);
    const with_ = (value: number) =>
      Object.fromEntries(
        Object.entries(adapters).map(([name, { length }]) => [name, new Float32Array(length).fill(value)]),
      );
    await expect(own.setAdapters(with_(Number.NaN), 2)).rejects.toMatchObject({ code: "NOT_FINITE" });
    // Finite each, and their product is not.
    await expect(own.setAdapters(with_(1e30), 2)).rejects.toMatchObject({ code: "NOT_FINITE" });
    await expect(own.setAdapters({}, 2)).rejects.toMatchObject({ code: "TENSOR_MISSING" });
    expect(own.policyVersion).toBe(1);
    expect(await tokensOf(own)).toEqual(before);
    await expect(sampler(base).setAdapters(adapters, 1)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("refuses what is not finite alone: what waits with it is taken, and each is told of its own", async () => {
    const own = sampler(base, allLinear);
    const second = initParameters(config, 2, scheme);
    const good = someAdapters(config, allLinear, 2);
    const beyond = Object.fromEntries(
      Object.entries(good).map(([name, { length }]) => [name, new Float32Array(length).fill(1e30)]),
    );
    const told = async (...changes: Promise<void>[]) =>
      (await Promise.allSettled(changes)).map(({ status }) => status);
    expect(await told(own.setWeights(second, 1, "second"), own.setAdapters(beyond, 2))).toEqual([
      "fulfilled",
      "rejected",
    ]);
    expect(own).toMatchObject({ policyVersion: 1, weightsHash: "second" });
    expect(await tokensOf(own)).toEqual(await tokensOf(sampler(second)));
    expect(
      await told(own.setWeights(base, 3), own.setAdapters(good, 4, "good"), own.setAdapters(beyond, 5)),
    ).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(own).toMatchObject({ policyVersion: 4, weightsHash: "good" });
    expect(await tokensOf(own)).toEqual(await tokensOf(sampler(mergeLora(config, base, good, allLinear))));
  });

  it("that could not be made keeps nothing on the device", async () => {
    const held = () => backend.tf.memory().numTensors;
    // What is computed once and kept is there before.
    await sampler(base, allLinear).close();
    const before = held();
    const gains = new Float32Array((base["layers.mlpNorm"] as Float32Array).length).fill(1e30);
    const gate = new Float32Array((base["layers.gate"] as Float32Array).length).fill(1e30);
    const beyond = { ...base, "layers.mlpNorm": gains, "layers.gate": gate };
    expect(() => sampler(beyond, allLinear)).toThrow(/NOT_FINITE/);
    expect(held()).toBe(before);
  });
});

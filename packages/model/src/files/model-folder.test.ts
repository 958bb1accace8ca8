import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trainBpe } from "../bpe-trainer.js";
import { type ModelConfigInput, parseModelConfig } from "../config.js";
import { hashWeights, initParameters, parameterShapes } from "../parameters.js";
import { modelConfigFromHf, modelConfigToHf } from "./hf-config.js";
import { loadModel, saveModel } from "./model-folder.js";
import { readSafetensors } from "./safetensors.js";

const aConfig = (changes: Partial<ModelConfigInput> = {}) =>
  parseModelConfig({
    architecture: "llama",
    vocabSize: 12,
    hiddenSize: 8,
    layers: 2,
    heads: 4,
    kvHeads: 2,
    headDim: 4,
    intermediateSize: 6,
    tieWordEmbeddings: false,
    maxPositions: 32,
    ...changes,
  });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-model-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("a model folder", () => {
  it.each(["llama", "qwen2", "qwen3"] as const)(
    "brings a %s model back bit for bit",
    async (architecture) => {
      const config = aConfig({
        architecture,
        tieWordEmbeddings: architecture === "qwen3",
        ropeTheta: 500_000,
      });
      const parameters = initParameters(config, 1);
      const tokenizer = trainBpe(["a b a b"], {
        vocabSize: 12,
        specialTokens: ["<|end|>"],
        alphabet: "corpus",
      });
      await saveModel(join(folder, "m"), { config, parameters, tokenizer });
      const loaded = await loadModel(join(folder, "m"));
      expect(loaded.config).toEqual(config);
      expect(hashWeights(loaded.parameters)).toBe(hashWeights(parameters));
      expect(loaded.tokenizer?.json).toEqual(tokenizer.json);
    },
  );

  it("stores projections as [out, in] under Hugging Face names", async () => {
    const config = aConfig();
    const parameters = initParameters(config, 1);
    await saveModel(join(folder, "m"), { config, parameters });
    const stored = await readSafetensors(join(folder, "m", "model.safetensors"));
    const gate = stored["model.layers.1.mlp.gate_proj.weight"];
    expect(gate?.shape).toEqual([6, 8]);
    // Element [out 5, in 3] of layer 1 is [layer 1, in 3, out 5] of the stack.
    expect(gate?.values[5 * 8 + 3]).toBe(parameters["layers.gate"]?.[8 * 6 + 3 * 6 + 5]);
    expect(Object.keys(stored)).toHaveLength(3 + 2 * 9);
  });

  it("replaces an older folder and leaves nothing beside it", async () => {
    const config = aConfig();
    await saveModel(join(folder, "m"), { config, parameters: initParameters(config, 1) });
    await saveModel(join(folder, "m"), { config, parameters: initParameters(config, 2) });
    expect(hashWeights((await loadModel(join(folder, "m"))).parameters)).toBe(
      hashWeights(initParameters(config, 2)),
    );
    expect(await readdir(folder)).toEqual(["m"]);
  });

  it("refuses NaN weights and keeps the folder that is there", async () => {
    const config = aConfig();
    const good = initParameters(config, 1);
    await saveModel(join(folder, "m"), { config, parameters: good });
    const bad = initParameters(config, 1);
    (bad["layers.up"] as Float32Array)[7] = Number.NaN;
    await expect(saveModel(join(folder, "m"), { config, parameters: bad })).rejects.toThrow(
      /NOT_FINITE.*layers.up.*7/,
    );
    expect(hashWeights((await loadModel(join(folder, "m"))).parameters)).toBe(hashWeights(good));
    expect(await readdir(folder)).toEqual(["m"]);
  });

  it("refuses parameters that are not those of the config", async () => {
    const config = aConfig();
    const { finalNorm: _, ...rest } = initParameters(config, 1);
    await expect(saveModel(folder, { config, parameters: rest })).rejects.toThrow(
      /TENSOR_MISSING.*finalNorm/,
    );
    const short = { ...initParameters(config, 1), head: new Float32Array(3) };
    await expect(saveModel(folder, { config, parameters: short })).rejects.toThrow(
      /SHAPE_MISMATCH.*head.*96/,
    );
  });
});

describe("a damaged model folder", () => {
  const saved = async () => {
    const path = join(folder, "m");
    await saveModel(path, { config: aConfig(), parameters: initParameters(aConfig(), 1) });
    return path;
  };
  const editConfig = async (path: string, changes: object) => {
    const json = JSON.parse(await readFile(join(path, "config.json"), "utf8"));
    await writeFile(join(path, "config.json"), JSON.stringify({ ...json, ...changes }));
  };

  it.each([4, 100, 2000])("is refused when its weights end after %i bytes", async (length) => {
    const path = await saved();
    await truncate(join(path, "model.safetensors"), length);
    await expect(loadModel(path)).rejects.toMatchObject({ code: "FILE_DAMAGED" });
  });

  it("names the tensor whose shape is not the config's", async () => {
    const path = await saved();
    await editConfig(path, { intermediate_size: 7 });
    await expect(loadModel(path)).rejects.toThrow(/SHAPE_MISMATCH.*layers\.0\.mlp.*\[6, 8\].*\[7, 8\]/);
  });

  it("names the tensor that is missing and the one that is too many", async () => {
    const path = await saved();
    await editConfig(path, { num_hidden_layers: 3 });
    await expect(loadModel(path)).rejects.toThrow(/TENSOR_MISSING.*model\.layers\.2/);
    await editConfig(path, { num_hidden_layers: 1 });
    await expect(loadModel(path)).rejects.toThrow(/TENSOR_UNKNOWN.*model\.layers\.1/);
  });

  it("names the missing file", async () => {
    await expect(loadModel(join(folder, "nothing"))).rejects.toThrow(/FILE_MISSING.*config\.json/);
    const path = await saved();
    await rm(join(path, "model.safetensors"));
    await expect(loadModel(path)).rejects.toThrow(/FILE_MISSING.*model\.safetensors/);
  });

  it("names the shard that is missing", async () => {
    const path = await saved();
    await rm(join(path, "model.safetensors"));
    const index = { weight_map: { "model.norm.weight": "model-00001-of-00001.safetensors" } };
    await writeFile(join(path, "model.safetensors.index.json"), JSON.stringify(index));
    await expect(loadModel(path)).rejects.toThrow(/FILE_MISSING.*model-00001/);
    const escaping = { weight_map: { "model.norm.weight": "../m/x.safetensors" } };
    await writeFile(join(path, "model.safetensors.index.json"), JSON.stringify(escaping));
    await expect(loadModel(path)).rejects.toThrow(/FILE_DAMAGED/);
  });
});

describe("weights in other dtypes and in shards", () => {
  /** A safetensors file of one dtype, built by hand. */
  function file(
    tensors: Record<string, { dtype: string; shape: readonly number[]; bytes: Uint8Array }>,
  ): Buffer {
    let offset = 0;
    const header: Record<string, unknown> = {};
    for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
      header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] };
      offset += bytes.length;
    }
    const json = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(json.length));
    return Buffer.concat([length, json, ...Object.values(tensors).map((tensor) => tensor.bytes)]);
  }

  it("widens BF16 and F16 exactly", async () => {
    const path = join(folder, "x.safetensors");
    const halves = (...words: number[]) => new Uint8Array(new Uint16Array(words).buffer);
    await writeFile(
      path,
      file({
        odd: { dtype: "F32", shape: [1], bytes: new Uint8Array(new Float32Array([0.1]).buffer) },
        bf: { dtype: "BF16", shape: [4], bytes: halves(0x3f80, 0xc000, 0x3e20, 0x0000) },
        half: { dtype: "F16", shape: [5], bytes: halves(0x3c00, 0xc000, 0x0001, 0x7bff, 0x3555) },
      }),
    );
    const tensors = await readSafetensors(path);
    expect([...(tensors["bf"]?.values ?? [])]).toEqual([1, -2, 0.15625, 0]);
    expect([...(tensors["half"]?.values ?? [])]).toEqual([1, -2, 2 ** -24, 65504, 1365 / 4096]);
    expect(tensors["odd"]?.values[0]).toBe(Math.fround(0.1));
  });

  it("refuses a dtype that it cannot widen", async () => {
    const path = join(folder, "x.safetensors");
    await writeFile(path, file({ w: { dtype: "F8_E4M3", shape: [2], bytes: new Uint8Array(2) } }));
    await expect(readSafetensors(path)).rejects.toThrow(/DTYPE_UNSUPPORTED.*tensor w.*F8_E4M3/);
  });

  it("reads the same model from two shards", async () => {
    const path = join(folder, "m");
    const parameters = initParameters(aConfig(), 1);
    await saveModel(path, { config: aConfig(), parameters });
    const stored = Object.entries(await readSafetensors(join(path, "model.safetensors")));
    const weightMap: Record<string, string> = {};
    for (const [shard, half] of [stored.slice(0, 10), stored.slice(10)].entries()) {
      const name = `model-0000${shard + 1}-of-00002.safetensors`;
      const entries = half.map(([tensor, { shape, values }]) => {
        weightMap[tensor] = name;
        return [tensor, { dtype: "F32", shape, bytes: new Uint8Array(values.buffer) }] as const;
      });
      await writeFile(join(path, name), file(Object.fromEntries(entries)));
    }
    await rm(join(path, "model.safetensors"));
    await writeFile(join(path, "model.safetensors.index.json"), JSON.stringify({ weight_map: weightMap }));
    expect(hashWeights((await loadModel(path)).parameters)).toBe(hashWeights(parameters));
  });
});

describe("config.json", () => {
  const json = () => modelConfigToHf(aConfig({ ropeTheta: 1e6 }));

  it("is read in the older form of the rotary fields too", () => {
    const { rope_parameters: _, ...older } = json();
    expect(modelConfigFromHf(older).ropeTheta).toBe(1e6);
    const scaling = { type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
    const scaled = { ...older, rope_scaling: { ...scaling, original_max_position_embeddings: 64 } };
    expect(modelConfigFromHf(scaled)).toMatchObject({
      ropeTheta: 1e6,
      ropeScaling: { factor: 8, highFreqFactor: 4 },
    });
  });

  it.each([
    ["model_type", "mamba"],
    ["hidden_act", "gelu"],
    ["mlp_bias", true],
    ["rope_parameters", { rope_type: "yarn", rope_theta: 1 }],
    ["num_key_value_heads", 3],
    ["vocab_size", undefined],
    ["num_experts", 8],
    ["layer_types", ["full_attention", "sliding_attention"]],
  ])("is refused by name when %s is %j", (field, value) => {
    const hfToOurs: Record<string, RegExp> = { num_key_value_heads: /kvHeads/, vocab_size: /vocabSize/ };
    expect(() => modelConfigFromHf({ ...json(), [field]: value })).toThrow(
      hfToOurs[field] ?? new RegExp(field),
    );
  });
});

describe("random weights", () => {
  it("depend on the seed and on nothing else", () => {
    expect(hashWeights(initParameters(aConfig(), 7))).toBe(hashWeights(initParameters(aConfig(), 7)));
    expect(hashWeights(initParameters(aConfig(), 7))).not.toBe(hashWeights(initParameters(aConfig(), 8)));
    const [shallow, deep] = [initParameters(aConfig(), 7), initParameters(aConfig({ vocabSize: 24 }), 7)];
    expect(shallow["layers.up"]).toEqual(deep["layers.up"]);
  });

  it("have the standard deviations of the scheme", () => {
    const config = aConfig({ vocabSize: 2000, intermediateSize: 1000 });
    const parameters = initParameters(config, 7);
    const std = (name: string) => {
      const values = parameters[name] as Float32Array;
      return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
    };
    expect(std("embedding")).toBeCloseTo(1, 1);
    expect(std("head")).toBeCloseTo(0.02, 3);
    expect(std("layers.down")).toBeCloseTo(0.01, 3);
    expect(std("finalNorm")).toBe(1);
  });

  it("change their hash with any bit, name or length", () => {
    const values = (...numbers: number[]) => new Float32Array(numbers);
    const hashes = [
      hashWeights({ a: values(1, 2) }),
      hashWeights({ a: values(1, 2.0000002) }),
      hashWeights({ b: values(1, 2) }),
      hashWeights({ a: values(1), b: values(2) }),
    ];
    expect(new Set(hashes).size).toBe(4);
    expect(hashWeights({ b: values(2), a: values(1) })).toBe(hashes[3]);
  });

  it("fill every parameter of each architecture", () => {
    for (const architecture of ["llama", "qwen2", "qwen3"] as const) {
      const config = aConfig({ architecture });
      expect(Object.keys(initParameters(config, 1))).toEqual(Object.keys(parameterShapes(config)));
    }
  });
});

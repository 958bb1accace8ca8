import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { hashWeights, initParameters } from "../base/parameters.js";
import { trainBpe } from "../tokens/bpe-trainer.js";
import { aConfig } from "./model.fixture.js";
import { loadModel, saveModel } from "./model-folder.js";
import { readSafetensors } from "./safetensors.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

describe("a model folder", () => {
  it.each(["llama", "qwen2", "qwen3", "gemma3"] as const)(
    "brings a %s model back bit for bit",
    async (architecture) => {
      const tokenizer = trainBpe(["a b a b"], {
        vocabSize: 12,
        specialTokens: ["<|end|>"],
        alphabet: "corpus",
      });
      const config = aConfig({
        architecture,
        vocabSize: tokenizer.vocabSize,
        tieWordEmbeddings: architecture === "qwen3",
        ropeTheta: 500_000,
      });
      const parameters = initParameters(config, 1);
      await saveModel(join(folder, "m"), { config, parameters, tokenizer });
      const loaded = await loadModel(join(folder, "m"));
      const tokenizerFile = await readFile(join(folder, "m/tokenizer.json"), "utf8");
      expect(tokenizerFile.split("\n"), "one line, and not one for each token").toHaveLength(2);
      expect(loaded.config).toEqual(config);
      expect(hashWeights(loaded.parameters)).toBe(hashWeights(parameters));
      expect(loaded.tokenizer?.json).toEqual(tokenizer.json);
    },
  );

  it("says which rows of the embedding have no token, and writes them back without a word of it", async () => {
    const config = aConfig({ vocabSize: 16 });
    const tokenizer = trainBpe(["a b a b"], {
      vocabSize: 12,
      specialTokens: ["<|end|>"],
      alphabet: "corpus",
    });
    const parameters = initParameters(config, 1);
    await saveModel(join(folder, "m"), { config, parameters, tokenizer });
    const loaded = await loadModel(join(folder, "m"));
    const { vocabSize: tokens } = tokenizer;
    expect(loaded.config.tokenlessIds).toEqual([{ first: tokens, count: 16 - tokens }]);
    await saveModel(join(folder, "again"), loaded);
    expect(await readFile(join(folder, "again", "config.json"), "utf8")).toBe(
      await readFile(join(folder, "m", "config.json"), "utf8"),
    );
  });

  it("is refused with a second head that differs from the embedding it is tied to, and read with an equal one", async () => {
    const untied = aConfig();
    const parameters = initParameters(untied, 1);
    const path = join(folder, "m");
    const tie = async (head: Float32Array) => {
      await saveModel(path, { config: untied, parameters: { ...parameters, head } });
      const json = JSON.parse(await readFile(join(path, "config.json"), "utf8")) as object;
      await writeFile(join(path, "config.json"), JSON.stringify({ ...json, tie_word_embeddings: true }));
      return await loadModel(path);
    };
    const embedding = parameters["embedding"] as Float32Array;
    const loaded = await tie(embedding);
    expect(loaded.config.tieWordEmbeddings).toBe(true);
    expect(Object.keys(loaded.parameters)).not.toContain("head");
    const other = embedding.slice();
    other[9] = 2;
    await expect(tie(other)).rejects.toThrow(
      /CONFIG_INVALID.*tie_word_embeddings is true, but lm_head\.weight is not the embedding: its element 9 is 2/,
    );
  });

  it("that contains adapters alone says how to merge them", async () => {
    await writeFile(join(folder, "adapter_config.json"), "{}");
    await expect(loadModel(folder)).rejects.toThrow(/model export BASE --add-adapters/);
  });

  it("keeps the special tokens that only config.json names", async () => {
    const config = aConfig();
    const path = join(folder, "m");
    await saveModel(path, { config, parameters: initParameters(config, 1) });
    const hf = JSON.parse(await readFile(join(path, "config.json"), "utf8"));
    const named = { eos_token_id: [2, 5], bos_token_id: 1, pad_token_id: 0 };
    await writeFile(join(path, "config.json"), JSON.stringify({ ...hf, ...named }));
    await writeFile(join(path, "generation_config.json"), JSON.stringify({ eos_token_id: 3, top_p: 0.9 }));
    const loaded = await loadModel(path);
    expect(loaded.generationConfig).toEqual({ ...named, eos_token_id: [3, 2, 5], top_p: 0.9 });
    await saveModel(join(folder, "copy"), loaded);
    const copy = JSON.parse(await readFile(join(folder, "copy", "config.json"), "utf8"));
    expect(copy).toMatchObject({ ...named, eos_token_id: [3, 2, 5] });
    expect((await loadModel(join(folder, "copy"))).generationConfig).toEqual(loaded.generationConfig);
  });

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

  it("never takes the place of anything but a model", async () => {
    const config = aConfig();
    const model = { config, parameters: initParameters(config, 1) };
    await mkdir(join(folder, "home"));
    await writeFile(join(folder, "home", "thesis.tex"), "precious");
    await expect(saveModel(join(folder, "home"), model)).rejects.toThrow(/FOLDER_TAKEN.*thesis\.tex/);
    expect(await readFile(join(folder, "home", "thesis.tex"), "utf8")).toBe("precious");
    await expect(saveModel(join(folder, "home", "thesis.tex"), model)).rejects.toThrow(/ENOTDIR/);
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
    await expect(loadModel(join(folder, "nothing"))).rejects.toThrow(
      /FILE_MISSING.*config\.json.*check that/,
    );
    const path = await saved();
    const run = join(folder, "run");
    await cp(path, join(run, "model"), { recursive: true });
    await expect(loadModel(run)).rejects.toThrow(
      `the model that this run trained is in ${join(run, "model")}`,
    );
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

describe("weights in a folder", () => {
  it("go to shards above the bound and come back bit for bit", async () => {
    const config = aConfig();
    const parameters = initParameters(config, 1);
    const path = join(folder, "m");
    await saveModel(path, { config, parameters }, { maxShardBytes: 1000 });
    const names = (await readdir(path)).sort();
    expect(names).toHaveLength(2 + 7);
    expect(names.slice(1, 3)).toEqual([
      "model-00001-of-00007.safetensors",
      "model-00002-of-00007.safetensors",
    ]);
    const index = JSON.parse(await readFile(join(path, "model.safetensors.index.json"), "utf8"));
    const tensors = await Promise.all(
      [...new Set(Object.values<string>(index.weight_map))].map((name) => readSafetensors(join(path, name))),
    );
    const sizes = tensors.map((shard) =>
      Object.values(shard).reduce((sum, { values }) => sum + values.byteLength, 0),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(index.metadata.total_size);
    expect(hashWeights((await loadModel(path)).parameters)).toBe(hashWeights(parameters));
  });

  it("lose no more than the rounding as bfloat16, and nothing the second time", async () => {
    const config = aConfig({ architecture: "qwen2" });
    const parameters = initParameters(config, 1);
    await saveModel(join(folder, "a"), { config, parameters }, { dtype: "bfloat16" });
    const rounded = (await loadModel(join(folder, "a"))).parameters;
    for (const [name, values] of Object.entries(parameters)) {
      const worst = values.reduce((most, value, i) => {
        const error = Math.abs(value - (rounded[name]?.[i] ?? Number.NaN));
        return Math.max(most, value === 0 ? error : error / Math.abs(value));
      }, 0);
      expect(worst, name).toBeLessThanOrEqual(2 ** -8);
    }
    await saveModel(join(folder, "b"), { config, parameters: rounded }, { dtype: "bfloat16" });
    expect(await readFile(join(folder, "b", "model.safetensors"))).toEqual(
      await readFile(join(folder, "a", "model.safetensors")),
    );
    expect(JSON.parse(await readFile(join(folder, "a", "config.json"), "utf8")).dtype).toBe("bfloat16");
  });

  it("are refused when the file holds NaN, by tensor and element", async () => {
    const config = aConfig();
    const path = join(folder, "m");
    await saveModel(path, { config, parameters: initParameters(config, 1) });
    const file = join(path, "model.safetensors");
    const bytes = await readFile(file);
    // The last tensor of the file is the final norm.
    bytes.writeFloatLE(Number.NaN, bytes.length - 4 * 3);
    await writeFile(file, bytes);
    await expect(loadModel(path)).rejects.toThrow(
      /NOT_FINITE.*model\.norm\.weight has the value NaN at element 5/,
    );
  });

  it("are refused when the index names a tensor that its shard has not", async () => {
    const config = aConfig();
    const path = join(folder, "m");
    await saveModel(path, { config, parameters: initParameters(config, 1) }, { maxShardBytes: 1000 });
    const index = join(path, "model.safetensors.index.json");
    const json = JSON.parse(await readFile(index, "utf8"));
    json.weight_map["lm_head.weight"] = json.weight_map["model.norm.weight"];
    await writeFile(index, JSON.stringify(json));
    await expect(loadModel(path)).rejects.toThrow(/FILE_DAMAGED.*lm_head\.weight is not in model-00007/);
  });

  it("tell how much of them is read", async () => {
    const config = aConfig();
    await saveModel(join(folder, "m"), { config, parameters: initParameters(config, 1) });
    const seen: (readonly [number, number])[] = [];
    await loadModel(join(folder, "m"), { onProgress: (done, total) => seen.push([done, total]) });
    expect(seen).toHaveLength(3 + 2 * 9);
    expect(seen.at(-1)?.[0]).toBe(seen.at(-1)?.[1]);
  });
});

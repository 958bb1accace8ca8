import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { hashWeights, initParameters } from "../base/parameters.js";
import { aConfig } from "../files/model.fixture.js";
import { saveModel } from "../files/model-folder.js";
import { inspectModel, loadAnyModel } from "./any-model.js";

const folder = fileFolder();

describe("a model of any format", () => {
  it("is told from headers and read as what it is: a folder", async () => {
    const path = join(folder, "m");
    const parameters = initParameters(aConfig(), 1);
    await saveModel(path, { config: aConfig(), parameters }, { dtype: "float32", maxShardBytes: 1000 });
    const facts = await inspectModel(path);
    expect(facts).toMatchObject({ format: "folder", config: aConfig(), tokenizer: undefined });
    expect(facts.weightFiles).toHaveLength(7);
    expect(facts.tensors.get("model.layers.0.mlp.down_proj.weight")).toEqual({
      dtype: "F32",
      shape: [8, 6],
      sizeBytes: 4 * 48,
    });
    expect(hashWeights((await loadAnyModel(path)).parameters)).toBe(hashWeights(parameters));
  });

  it("is refused by its headers alone when they contradict the config", async () => {
    const path = join(folder, "other");
    const config = aConfig();
    await saveModel(path, { config, parameters: initParameters(config, 1) });
    const other = aConfig({ hiddenSize: 16 });
    await saveModel(join(folder, "wider"), { config: other, parameters: initParameters(other, 1) });
    await rm(join(path, "model.safetensors"));
    await expect(inspectModel(path)).rejects.toThrow(/FILE_MISSING/);
    await copyFile(join(folder, "wider", "model.safetensors"), join(path, "model.safetensors"));
    await expect(inspectModel(path)).rejects.toThrow(/SHAPE_MISMATCH.*\[12, 16\].*\[12, 8\]/);
  });

  it("is refused when it is not there or nobody can say what it is", async () => {
    await expect(loadAnyModel(join(folder, "nothing"))).rejects.toThrow(/FILE_MISSING.*nothing/);
    await writeFile(join(folder, "model.onnx"), "x");
    await expect(inspectModel(join(folder, "model.onnx"))).rejects.toThrow(/FILE_DAMAGED.*onnx.*\.gguf/);
    await writeFile(join(folder, "x.gguf"), "not a gguf file, whatever its name says");
    await expect(inspectModel(join(folder, "x.gguf"))).rejects.toThrow(/FILE_DAMAGED/);
  });
});

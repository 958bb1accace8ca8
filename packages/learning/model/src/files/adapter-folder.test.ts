import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sizeOf } from "@palimpsest/jit";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { loraForm, loraScale, loraShapes } from "../base/lora.js";
import { loadAdapters, saveAdapters } from "./adapter-folder.js";
import { aConfig } from "./model.fixture.js";
import { readSafetensors } from "./safetensors.js";
import { writableTensor, writeSafetensors } from "./safetensors-writer.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const model = aConfig();
const lora = { rank: 3, alpha: 6, targets: ["q_proj" as const, "down_proj" as const] };
const adapters = Object.fromEntries(
  Object.entries(loraShapes(model, loraForm(lora))).map(([name, shape], i) => [
    name,
    Float32Array.from({ length: sizeOf(shape) }, (_, at) => at + i / 10),
  ]),
);
const target = () => join(folder, "adapters");

describe("a folder of adapters", () => {
  it("comes back as it was written", async () => {
    await saveAdapters(target(), model, { lora, adapters, baseModel: "some/model" });
    expect(await loadAdapters(target(), model)).toEqual({ lora, adapters, baseModel: "some/model" });
  });

  it("has PEFT's names, shapes and order of elements", async () => {
    await saveAdapters(target(), model, { lora, adapters });
    const stored = await readSafetensors(join(target(), "adapter_model.safetensors"));
    const down = stored["base_model.model.model.layers.1.mlp.down_proj.lora_A.weight"];
    const F = model.intermediateSize;
    expect(down?.shape).toEqual([3, F]);
    // Row r, column i of PEFT's A is our A[layer 1][i][r].
    const ours = adapters["layers.down.loraA"] as Float32Array;
    expect(down?.values[2 * F + 5]).toBe(ours[F * 3 + 5 * 3 + 2]);
    const query = stored["base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight"];
    expect(query?.shape).toEqual([model.heads * model.headDim, 3]);
    expect(Object.keys(stored)).toHaveLength(4 * model.layers);
    const config = JSON.parse(await readFile(join(target(), "adapter_config.json"), "utf8")) as unknown;
    expect(config).toMatchObject({
      peft_type: "LORA",
      r: 3,
      lora_alpha: 6,
      target_modules: ["q_proj", "down_proj"],
    });
  });

  it.each([
    ["another method", { peft_type: "LOHA" }, /CONFIG_INVALID.*peft_type/],
    ["weights decomposed", { use_dora: true }, /CONFIG_INVALID.*use_dora/],
    ["a base that was changed", { init_lora_weights: "pissa_niter_4" }, /CONFIG_INVALID.*init_lora_weights/],
    ["layers repeated", { layer_replication: [[0, 1]] }, /CONFIG_INVALID.*layer_replication/],
    ["only some tokens", { alora_invocation_tokens: [1] }, /CONFIG_INVALID.*alora_invocation_tokens/],
    [
      "the head among its targets",
      { target_modules: ["q_proj", "lm_head"] },
      /CONFIG_INVALID.*target_modules is \["q_proj","lm_head"\], which includes lm_head/,
    ],
    ["no target of the model", { target_modules: "conv" }, /CONFIG_INVALID.*"conv", which matches no/],
    [
      "no regular expression",
      { target_modules: "(q_proj" },
      /CONFIG_INVALID.*target_modules is "\(q_proj": it is no/,
    ],
    ["biases of its own", { lora_bias: true }, /CONFIG_INVALID.*lora_bias is true/],
    ["ranks by module", { rank_pattern: { q_proj: 2 } }, /CONFIG_INVALID.*rank_pattern is \{"q_proj":2\}/],
    [
      "a module excluded that its file has",
      { exclude_modules: ["model.layers.0.self_attn.q_proj"] },
      /TENSOR_UNKNOWN.*layers\.0\.self_attn\.q_proj/,
    ],
    ["another rank than its file", { r: 4 }, /SHAPE_MISMATCH.*lora_A/],
    [
      "a target that its file lacks",
      { target_modules: ["q_proj", "down_proj", "up_proj"] },
      /TENSOR_MISSING.*up_proj/,
    ],
    ["fewer targets than its file", { target_modules: ["q_proj"] }, /TENSOR_UNKNOWN.*down_proj/],
  ])("with %s is refused by name", async (_what, changes, message) => {
    await saveAdapters(target(), model, { lora, adapters });
    const path = join(target(), "adapter_config.json");
    const config = JSON.parse(await readFile(path, "utf8")) as object;
    await writeFile(path, JSON.stringify({ ...config, ...changes }));
    await expect(loadAdapters(target(), model)).rejects.toThrow(message);
  });

  const changed = async (changes: object, without = /^$/) => {
    await saveAdapters(target(), model, { lora, adapters });
    const path = join(target(), "adapter_config.json");
    const config = JSON.parse(await readFile(path, "utf8")) as object;
    await writeFile(path, JSON.stringify({ ...config, ...changes }));
    const weights = join(target(), "adapter_model.safetensors");
    const kept = Object.entries(await readSafetensors(weights)).filter(([name]) => !without.test(name));
    await writeSafetensors(
      weights,
      kept.map(([name, { shape, values }]) => writableTensor(name, shape, values as Float32Array)),
      "float32",
    );
    return await loadAdapters(target(), model);
  };
  const all = Array.from({ length: model.layers }, (_, layer) => layer);

  it.each([
    [
      "full paths",
      {
        target_modules: all.flatMap((layer) => [
          `model.layers.${layer}.self_attn.q_proj`,
          `layers.${layer}.mlp.down_proj`,
        ]),
      },
    ],
    [
      "a regular expression",
      { target_modules: String.raw`.*layers\.\d+\.(?:self_attn|mlp)\.(?P<name>q_proj|down_proj)` },
    ],
    [
      "Unsloth's regular expression",
      {
        target_modules: String.raw`(?:.*?(?:language|text).*?(?:q_proj).*?)|(?:\bmodel\.layers\.[\d]{1,}\.(?:self_attn|attention|attn|mlp|feed_forward|ffn|dense)\.(?:(?:q_proj|down_proj)))`,
      },
    ],
    ["all layers by number", { layers_to_transform: all }],
    ["nothing excluded", { exclude_modules: ["lm_head"] }],
  ])("is the same with %s", async (_what, changes) => {
    expect(await changed(changes)).toEqual({ lora, adapters });
  });

  it("of some layers has zeros in the others", async () => {
    const first = /layers\.0\./;
    const read = await changed({ layers_to_transform: all.slice(1) }, first);
    expect(read.lora).toEqual(lora);
    const own = adapters["layers.query.loraB"] as Float32Array;
    const size = own.length / model.layers;
    const values = read.adapters["layers.query.loraB"] as Float32Array;
    expect(values.slice(0, size).every((value) => value === 0)).toBe(true);
    expect(values.slice(size)).toEqual(own.slice(size));
    const named = String.raw`model\.layers\.[1-9]\d*\..*\.(q_proj|down_proj)`;
    expect(await changed({ target_modules: named }, first)).toEqual(read);
    const excluded = ["layers.0.self_attn.q_proj", "layers.0.mlp.down_proj"];
    expect(await changed({ exclude_modules: excluded }, first)).toEqual(read);
  });

  it("with rank-stabilized scale is scaled by alpha over the root of the rank", async () => {
    const { lora: read } = await changed({ use_rslora: true });
    expect(loraScale(read)).toBeCloseTo(6 / Math.sqrt(3), 12);
  });

  it("is not written with values missing, too few or not numbers", async () => {
    const name = "layers.query.loraB";
    const own = adapters[name] as Float32Array;
    const save = (values: Float32Array) =>
      saveAdapters(target(), model, { lora, adapters: { ...adapters, [name]: values } });
    await expect(save(own.slice(1))).rejects.toThrow(/SHAPE_MISMATCH/);
    await expect(save(own.slice().fill(Number.NaN, 4, 5))).rejects.toThrow(/NOT_FINITE.*element 4/);
    await expect(saveAdapters(target(), model, { lora, adapters: {} })).rejects.toThrow(/TENSOR_MISSING/);
    await expect(loadAdapters(target(), model)).rejects.toThrow(/FILE_MISSING/);
  });
});

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { roundToHalf, widenHalf } from "@palimpsest/jit";
import {
  initLora,
  initParameters,
  loadAdapters,
  loadModel,
  loraConfigSchema,
  loraForm,
} from "@palimpsest/model";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { EngineWeights } from "./engine-weights.js";
import { model, tokenizer } from "./small-policy.fixture.js";

let root: string;
beforeEach(() => {
  root = testFolder();
});

it("keeps the version in use, which a server can read, and leaves nothing of a run that has ended", async () => {
  const run = join(root, "run-1");
  const of = { config: model, tokenizer, weightsType: "float32" as const, lora: undefined };
  const one = await EngineWeights.open(join(run, "engine-0"), of);
  const two = await EngineWeights.open(join(run, "engine-1"), of);
  await one.write(initParameters(model, 1), 1, "first");
  const written = await one.write(initParameters(model, 2), 2, "second");
  await one.keepOnly(written);
  expect(readdirSync(one.folder)).toEqual(["policy-00000002"]);
  const { parameters } = await loadModel(written.folder);
  expect(parameters).toEqual(initParameters(model, 2));
  await one.remove();
  expect(existsSync(two.folder)).toBe(true);
  await two.remove();
  expect(readdirSync(root)).toEqual([]);
});

it("writes bfloat16 as it travels, half of the bytes, without float32 in between", async () => {
  const half = Object.fromEntries(
    Object.entries(initParameters(model, 1)).map(([name, values]) => [name, roundToHalf(values)]),
  );
  const of = { config: model, tokenizer, weightsType: "bfloat16" as const, lora: undefined };
  const weights = await EngineWeights.open(join(root, "engine-0"), of);
  const { folder } = await weights.write(half, 1, "first");
  const { parameters } = await loadModel(folder);
  for (const [name, values] of Object.entries(half))
    expect(parameters[name], name).toEqual(widenHalf(values));
  const values = Object.values(half).reduce((sum, { length }) => sum + length, 0);
  expect(statSync(join(folder, "model.safetensors")).size).toBeLessThan(2 * values + 20_000);
});

it("keeps adapters apart from their base, and of these the version before", async () => {
  const lora = loraConfigSchema.parse({ rank: 2 });
  const of = { config: model, tokenizer, weightsType: "bfloat16" as const, lora };
  const weights = await EngineWeights.open(join(root, "engine-0"), of);
  const base = await weights.write(initParameters(model, 1), 0, "base");
  let policy = base;
  for (const version of [1, 2, 3]) {
    policy = await weights.writeAdapters(
      policy,
      initLora(model, loraForm(lora), version),
      version,
      `hash-${version}`,
    );
    await weights.keepOnly(policy);
  }
  expect(policy).toMatchObject({ policyVersion: 0, adapters: { name: "policy-3", weightsHash: "hash-3" } });
  expect(readdirSync(weights.folder)).toEqual(["adapters-00000002", "adapters-00000003", "policy-00000000"]);
  expect((await loadAdapters(policy.adapters?.folder ?? "", model)).adapters).toEqual(
    initLora(model, loraForm(lora), 3),
  );
});

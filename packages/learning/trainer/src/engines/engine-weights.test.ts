import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { initParameters, loadModel } from "@palimpsest/model";
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
  const one = await EngineWeights.open(join(run, "engine-0"), model, tokenizer);
  const two = await EngineWeights.open(join(run, "engine-1"), model, tokenizer);
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

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initParameters, loadModel } from "@palimpsest/model";
import { afterEach, beforeEach, expect, it } from "vitest";
import { EngineWeights } from "./engine-weights.js";
import { model, tokenizer } from "./small-policy.fixture.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "palimpsest-weights-"));
});
afterEach(() => rmSync(root, { recursive: true }));

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

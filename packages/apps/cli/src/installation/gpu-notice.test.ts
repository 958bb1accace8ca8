import { join } from "node:path";
import { builtinRecipesDir, readRecipe } from "@palimpsest/trainer";
import { expect, it } from "vitest";
import { gpuNotice } from "./gpu-notice.js";

const { recipe } = readRecipe(join(builtinRecipesDir, "quickstart.yaml"));

it("a run on the CPU of a machine with a GPU is told so, unless its recipe leases one or the variable hides it", () => {
  const line = gpuNotice(recipe, {}, ["NVIDIA H100"]);
  expect(line).toMatch(
    /^this machine has NVIDIA H100, and quickstart runs on the CPU.*learnerGpus and rollout\.gpus/,
  );
  expect(gpuNotice({ ...recipe, learnerGpus: 0.5 }, {}, ["NVIDIA H100"])).toBeUndefined();
  expect(
    gpuNotice({ ...recipe, rollout: { ...recipe.rollout, gpus: 1 } }, {}, ["NVIDIA H100"]),
  ).toBeUndefined();
  expect(gpuNotice(recipe, { CUDA_VISIBLE_DEVICES: "" }, ["NVIDIA H100"])).toBeUndefined();
  expect(gpuNotice(recipe, {}, [])).toBeUndefined();
});

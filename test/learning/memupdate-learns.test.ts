import { expect, it } from "vitest";
import { storeTasks } from "../../packages/learning/small-world/src/index.js";
import { readRecipe } from "../../packages/learning/trainer/src/recipe/recipe.js";
import { shortRun } from "./short-run.js";

const file = "recipes/memupdate/small-store.yaml";
const { data } = readRecipe(file).recipe;
const store = data.source === "store" ? data.store : {};
const tasks = storeTasks({ ...store, count: 192, seed: "evaluation" });
const sets = [{ name: "statements", tasks, temperature: 1 }];

it("MemUpdate on a small store learns which call a statement needs: shown and held-out questions rise, stores left as they were fall", async ({
  signal,
}) => {
  const { start, end } = await shortRun({ recipe: file, steps: 12, signal, sets });
  expect(end("shown") - start("shown")).toBeGreaterThanOrEqual(0.3);
  expect(end("heldOut") - start("heldOut")).toBeGreaterThanOrEqual(0.1);
  expect(end("unchanged")).toBeLessThan(start("unchanged"));
});

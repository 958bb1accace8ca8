import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readRecipe } from "../recipe/recipe.js";
import { learnerSettings } from "./learner-settings.js";

const recipes = fileURLToPath(new URL("../../../../../recipes/", import.meta.url));
const read = (name: string) => readRecipe(`${recipes}${name}`).recipe;

test("every training run ends where sampler and learner part, unless its recipe says null", () => {
  const { learner } = read("quickstart.yaml");
  expect(learner).not.toHaveProperty("maxLogprobDifference");
  expect(learnerSettings({ learner }).maxLogprobDifference).toBe(0.05);
  const none = { ...learner, maxLogprobDifference: null };
  expect(learnerSettings({ learner: none }).maxLogprobDifference).toBeNull();
  const shipped = ["memagent", "memupdate", "rememr1"].flatMap((agent) =>
    readdirSync(`${recipes}${agent}`)
      // The others make the models that recipes begin with.
      .filter((file) => !file.endsWith("-base.yaml"))
      .map((file) => `${agent}/${file}`),
  );
  expect(shipped.length).toBeGreaterThan(10);
  for (const name of shipped)
    expect(learnerSettings(read(name)).maxLogprobDifference, name).toBeLessThanOrEqual(0.2);
});

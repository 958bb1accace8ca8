import { loadBackend } from "@palimpsest/jit";
import { describe, expect, it } from "vitest";
import { createLearner } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";

describe("a learner without libtensorflow", () => {
  it("takes the same steps on the wasm backend as on the best one", async () => {
    const train = async (prefer: "auto" | "wasm") => {
      const backend = await loadBackend({ prefer });
      const learner = createLearner({
        backend,
        config: tinyConfig({ preset: "memagent" }),
        model: tinyModel,
        parameters: tinyParameters(),
        objectives: ["policy"],
      });
      const losses: number[] = [];
      for (let step = 0; step < 3; step++) losses.push((await learner.update(randomGroups(step))).loss);
      const result = { losses, parameters: learner.parameters() };
      learner.close();
      return result;
    };
    const wasm = await train("wasm");
    const best = await train("auto");
    wasm.losses.forEach((loss, index) => {
      expect(Math.abs(loss - (best.losses[index] ?? Number.NaN))).toBeLessThan(1e-4);
    });
    for (const [name, values] of Object.entries(wasm.parameters))
      values.forEach((value, index) => {
        expect(Math.abs(value - (best.parameters[name]?.[index] ?? Number.NaN)), name).toBeLessThan(1e-3);
      });
  });
});

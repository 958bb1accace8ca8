import { loadBackend } from "@palimpsest/jit";
import { expect, it } from "vitest";
import { createLearner } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyParameters, twoLayers } from "./learner.fixture.js";

/** Two updates in a mode: losses, gradient norms and weights. */
async function train(mode: "graph" | "xla") {
  const learner = createLearner({
    backend: await loadBackend({ prefer: "tensorflow" }),
    config: tinyConfig({
      preset: "memagent",
      memory: { layers: "scan" },
      buckets: [{ rows: 4, length: 12, trainedTokens: 16 }],
      // Adam divides by the gradient's own size, which would make much of a last bit where a gradient is nearly 0.
      optimizer: { epsilon: 1e-3 },
    }),
    model: twoLayers,
    parameters: tinyParameters(1, twoLayers),
    objectives: ["policy"],
    mode,
  });
  const numbers: number[] = [];
  for (let step = 0; step < 2; step++) {
    const { loss, gradientNorm } = await learner.update(randomGroups(step));
    numbers.push(loss, gradientNorm);
  }
  const result = { numbers, parameters: learner.parameters() };
  learner.close();
  return result;
}

// That layers written out are compiled alike is seen in step-at-once.test.ts.
it("an update compiled whole by XLA is that of the graph, layers in a loop", async () => {
  const graph = await train("graph");
  const compiled = await train("xla");
  compiled.numbers.forEach((value, index) => {
    const expected = graph.numbers[index] ?? Number.NaN;
    expect(Math.abs(value - expected)).toBeLessThan(1e-5 * Math.max(1, Math.abs(expected)));
  });
  for (const [name, values] of Object.entries(compiled.parameters)) {
    const expected = graph.parameters[name];
    values.forEach((value, index) => {
      expect(Math.abs(value - (expected?.[index] ?? Number.NaN)), name).toBeLessThan(1e-5);
    });
  }
});

import { JitError, loadBackend, type MemoryShortage, tf } from "@palimpsest/jit";
import { afterEach, describe, expect, it } from "vitest";
import { resolveLearnerConfig } from "../config/config.js";
import { createLearner } from "../learner/create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "../learner/learner.fixture.js";
import { memoryAdvice, withMemoryAdvice } from "./memory-exhausted.js";

interface Runs {
  runSavedModel: (id: number, inputs: number[], feeds: string, fetches: string) => unknown;
}

/** What XLA says on a GPU; the runs of the addon that fail are those of `isFailing`. */
const text = "Session fail to run with error: Out of memory while trying to allocate 28.90GiB.";
let restore = () => {};
function failRuns(isFailing: (run: number) => boolean): void {
  const { binding } = tf.backend() as unknown as { binding: Runs };
  const run = binding.runSavedModel;
  let runs = 0;
  binding.runSavedModel = (...given) => {
    if (isFailing(runs++)) throw new Error(text);
    return run(...given);
  };
  restore = () => {
    binding.runSavedModel = run;
  };
}
afterEach(() => restore());

/** Its empty entries are made, so that the first run of its next update is that of a micro-batch. */
async function learnerIn(mode: "graph" | "xla") {
  const learner = createLearner({
    backend: await loadBackend(),
    config: tinyConfig(),
    model: tinyModel,
    parameters: tinyParameters(),
    objectives: ["policy"],
    mode,
  });
  await learner.update(randomGroups(0));
  return learner;
}
const exhausted = (after: RegExp) =>
  expect.objectContaining({
    code: "MEMORY_EXHAUSTED",
    message: expect.stringMatching(
      new RegExp(
        `function "policy-4x12" did not run: .* for an allocation of 28\\.9 GiB; .* lower memory\\.layers.*buckets\\[0\\]\\.rows \\(4\\).*${after.source}`,
      ),
    ),
    details: expect.objectContaining({ requestedBytes: 28.9 * 2 ** 30 }),
  });

describe("an update without memory", () => {
  it("leaves the weights as they were and the learner at work in mode graph", async () => {
    const [learner, untouched] = [await learnerIn("graph"), await learnerIn("graph")];
    try {
      const before = learner.weightsHash();
      // The second micro-batch of the update.
      failRuns((run) => run === 1);
      await expect(learner.update(randomGroups(1))).rejects.toEqual(exhausted(/the weights are unchanged$/));
      restore();
      expect(learner.weightsHash()).toBe(before);
      expect(learner.policyVersion).toBe(1);
      await Promise.all([learner.update(randomGroups(1)), untouched.update(randomGroups(1))]);
      expect(learner.weightsHash()).toBe(untouched.weightsHash());
    } finally {
      learner.close();
      untouched.close();
    }
  });

  it("closes the learner where a launch took the sums with it, and frees nothing twice", async () => {
    const learner = await learnerIn("xla");
    failRuns((run) => run === 1);
    await expect(learner.update(randomGroups(1))).rejects.toEqual(
      exhausted(/the learner is closed.*last checkpoint$/),
    );
    restore();
    await expect(learner.update(randomGroups(1))).rejects.toMatchObject({
      code: "CLOSED",
      message: expect.stringMatching(/last checkpoint\. What closed it: .*MEMORY_EXHAUSTED/),
      cause: { code: "MEMORY_EXHAUSTED" },
    });
    expect(() => learner.parameters()).toThrow(/CLOSED/);
    learner.close();
  });

  it("closes the learner where the sums cannot be cleared (OPTSTEP-2)", async () => {
    const learner = await learnerIn("graph");
    failRuns((run) => run >= 1);
    await expect(learner.update(randomGroups(1))).rejects.toMatchObject({
      code: "APPLY_FAILED",
      message: expect.stringMatching(/gradients could not be cleared/),
    });
    restore();
    await expect(learner.update(randomGroups(1))).rejects.toMatchObject({ code: "CLOSED" });
  });
});

describe("memoryAdvice", () => {
  const config = (overrides: object) => resolveLearnerConfig(tinyConfig(overrides));

  it("names what has an effect on the device that is there", () => {
    const onGpu = memoryAdvice(config({ precision: "bfloat16" }), "xla");
    expect(onGpu).toContain('memory.keep to "nothing" (it is "auto")');
    expect(onGpu).not.toContain("scoresMb");
    const onCpu = memoryAdvice(config({ memory: { layers: "scan" } }), "graph");
    expect(onCpu).not.toMatch(/memory\.keep|memory\.layers/);
    expect(onCpu).toContain("memory.scoresMb (64)");
    const budget = {
      buckets: undefined,
      microBatch: { tokens: 64, lengths: [32] },
      lora: { rank: 4, alpha: 8 },
    };
    expect(memoryAdvice(config(budget), "graph")).toMatch(/microBatch\.tokens \(64\)/);
    expect(memoryAdvice(config(budget), "graph")).not.toContain("set lora");
  });

  it("is for a lack of memory alone", () => {
    const shortage: MemoryShortage = { place: "gpu" };
    const other = new JitError("EXECUTION_FAILED", "no", { shortage });
    expect(withMemoryAdvice(other, config({}), "graph")).toBe(other);
  });
});

import { loadBackend } from "@palimpsest/jit";
import { expect, it } from "vitest";
import { resolveLearnerConfig } from "../config/config.js";
import { createRandom } from "../config/random.js";
import { initialState } from "../state/state.js";
import { applyNames } from "../state/sum-functions.js";
import { compileLearner } from "../step/compiled.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import { Learner } from "./learner.js";

it("an update that fails while it is applied closes the learner: no version names two sets of weights (LEARNER-2)", async () => {
  const backend = await loadBackend();
  // Parts so small that there are several.
  const config = resolveLearnerConfig(tinyConfig({ memory: { applyMb: 1e-3 } }));
  const compiled = compileLearner({
    backend,
    model: tinyModel,
    config,
    objectives: ["policy"],
    mode: "auto",
  });
  compiled.writeState(initialState({ model: tinyModel, parameters: tinyParameters() }, config));
  expect(applyNames(compiled).length).toBeGreaterThan(2);
  const called: string[] = [];
  const failing = new Proxy(compiled, {
    get(target, property) {
      if (property === "call")
        return (name: string, inputs: Parameters<typeof compiled.call>[1]) => {
          called.push(name);
          if (name === "apply-1") throw new Error("out of memory");
          return target.call(name, inputs);
        };
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const start = {
    policyVersion: 7,
    step: 0,
    random: createRandom(0),
    klCoefficient: 0,
    dumpFolder: undefined,
    publishedType: "float32" as const,
    ownAdvantage: undefined,
    together: undefined,
    reference: undefined,
    precisionReason: "a test",
  };
  const learner = new Learner(failing, config, tinyModel, start);
  await expect(learner.update(randomGroups(1))).rejects.toMatchObject({
    code: "APPLY_FAILED",
    message: expect.stringMatching(/part 2 of \d+: out of memory.*last checkpoint/),
  });
  expect(called).toContain("apply-0");
  expect(learner.policyVersion).toBe(7);
  await expect(learner.update(randomGroups(1))).rejects.toMatchObject({ code: "CLOSED" });
  expect(() => learner.parameters()).toThrow(/CLOSED/);
  expect(() => learner.checkpoint({ consumedGroupIds: [], dataCursor: null })).toThrow(/CLOSED/);
  learner.close();
});

/** What a learner hands on to samplers, held against its weights. */
import { loadBackend, roundToHalf } from "@palimpsest/jit";
import { type HeldParameters, hashWeights } from "@palimpsest/model";
import { expect, it, onTestFinished } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createLearner, type LearnerOptions } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import type { Learner } from "./learner.js";

const backend = await loadBackend({ prefer: "tensorflow" });

function aLearner(changes: Partial<LearnerConfigInput>, options: Partial<LearnerOptions> = {}): Learner {
  const learner = createLearner({
    ...{ backend, model: tinyModel, parameters: tinyParameters(), objectives: ["policy"], mode: "xla" },
    config: tinyConfig({ kl: { coefficient: 0.1 }, optimizer: { epsilon: 1e-3 }, ...changes }),
    publishedType: "bfloat16",
    ...options,
  });
  onTestFinished(() => learner.close());
  return learner;
}

function handedOn(learner: Learner): HeldParameters {
  return Object.fromEntries(
    learner.published().map(({ name, dtype, shape, pieces }) => {
      const values = [...pieces()].flatMap((piece) => [...piece]);
      expect(values, name).toHaveLength(shape.reduce((product, size) => product * size, 1));
      return [name, dtype === "bfloat16" ? Uint16Array.from(values) : Float32Array.from(values)];
    }),
  );
}

const cases: readonly (readonly [string, Partial<LearnerConfigInput>, Partial<LearnerOptions>])[] = [
  ["alone", {}, {}],
  ["in mode eager", {}, { mode: "eager" }],
  ["in bfloat16", { precision: "bfloat16" }, {}],
  ["with replicas", { replicas: 2 }, {}],
  ...(["float32", "bfloat16"] as const).map(
    (precision) =>
      [
        `with shards, in ${precision}`,
        { precision, replicas: 2, memory: { optimizerState: "sharded" as const } },
        {},
      ] as const,
  ),
];

it.each(cases)(
  "matrices rounded once, the rest as it is, and the hash names both: %s",
  async (_, changes, options) => {
    const learner = aLearner(changes, options);
    await learner.update(randomGroups(0, 1));
    const given = handedOn(learner);
    const expected = Object.fromEntries(
      Object.entries(learner.parameters()).map(([name, values]) => [
        name,
        name.endsWith("Norm") ? values : roundToHalf(values),
      ]),
    );
    expect(given).toEqual(expected);
    expect(learner.weightsHash()).toBe(hashWeights(expected));
    expect(Object.values(given).filter((values) => values instanceof Uint16Array).length).toBeGreaterThan(6);
  },
);

it("in float32 and with adapters, what it has, in the order of the names", async () => {
  const whole = aLearner({}, { publishedType: "float32" });
  expect(handedOn(whole)).toEqual(whole.parameters());
  expect(whole.weightsHash()).toBe(hashWeights(whole.parameters()));
  const adapters = aLearner({ lora: { rank: 2, alpha: 4 } });
  expect(handedOn(adapters)).toEqual(adapters.adapters());
  const names = whole.published().map(({ name }) => name);
  expect(names).toEqual([...names].sort());
});

it("no value that is not finite once it is rounded, on the device and on the host", () => {
  const largest = 3.4028234663852886e38;
  const parameters = tinyParameters();
  (parameters["layers.up"] as Float32Array)[3] = largest;
  for (const mode of ["xla", "eager"] as const) {
    const half = aLearner({}, { parameters, mode });
    // The largest float32 number rounds to an infinite bfloat16.
    expect(() => handedOn(half)).toThrow(
      /weights\.layers\.up of policy version 0 have a value that is not finite/,
    );
    half.close();
  }
  expect(handedOn(aLearner({}, { parameters, publishedType: "float32" }))["layers.up"]?.[3]).toBe(largest);
});

it("nothing while an update changes it", async () => {
  const learner = aLearner({});
  const [first] = learner.published();
  const pieces = first?.pieces()[Symbol.iterator]();
  const updating = learner.update(randomGroups(0, 1));
  expect(() => pieces?.next()).toThrow(/published was called while update runs/);
  await updating;
});

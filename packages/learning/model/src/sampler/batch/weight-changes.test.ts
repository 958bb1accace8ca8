import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { initParameters } from "../../base/parameters.js";
import { smallConfig } from "../../testing/index.js";
import type { SamplingDevice } from "../calls/sampling-device.js";
import { WeightChanges } from "./weight-changes.js";

const model = smallConfig({ layers: 1 });

/** A device that only writes weights, in steps of this many milliseconds. */
function deviceOf(stepMs: number, steps: number, onStep: () => void): SamplingDevice {
  const refuse = () => {
    throw new Error("not here");
  };
  return {
    mode: "graph",
    functionStats: {},
    *writeWeights() {
      for (let step = 0; step < steps; step++) {
        const until = performance.now() + stepMs;
        while (performance.now() < until);
        onStep();
        yield;
      }
    },
    writeAdapters: refuse,
    needsHost: refuse,
    read: refuse,
    decode: refuse,
    preparations: () => [],
    zeroPages: refuse,
    dispose: () => undefined,
  };
}

test("WEIGHTCHANGE-2: the event loop runs between long steps, and nothing else is due until all are written", async () => {
  let steps = 0;
  const turns: number[] = [];
  const device = deviceOf(11, 4, () => steps++);
  const changes = new WeightChanges(
    { model, lora: undefined, device },
    { policyVersion: 0, weightsHash: "" },
  );
  const changed = changes.add({ parameters: initParameters(model, 1), policyVersion: 1, weightsHash: "one" });
  const applying = changes.apply((error) => error);
  while (steps < 4) {
    turns.push(steps);
    expect([changes.isWaiting, changes.current.policyVersion]).toEqual([true, 0]);
    await setImmediate();
  }
  await Promise.all([applying, changed]);
  expect(new Set(turns).size).toBeGreaterThan(2);
  expect([changes.isWaiting, changes.current]).toEqual([false, { policyVersion: 1, weightsHash: "one" }]);
});

test("WEIGHTCHANGE-1: weights that are not finite are refused before anything is written, in bfloat16, too, and those known to be finite are not checked", async () => {
  let steps = 0;
  const device = deviceOf(0, 1, () => steps++);
  const changes = new WeightChanges(
    { model, lora: undefined, device },
    { policyVersion: 0, weightsHash: "" },
  );
  const bits = new Uint16Array(model.vocabSize * model.hiddenSize).fill(0x3f80);
  bits[5] = 0xff80;
  const parameters = { ...initParameters(model, 1), embedding: bits };
  const refused = expect(changes.add({ parameters, policyVersion: 1, weightsHash: "one" })).rejects.toThrow(
    /embedding has the value -Infinity at element 5/,
  );
  await changes.apply((error) => error);
  await refused;
  expect([steps, changes.current.policyVersion]).toEqual([0, 0]);
  const known = changes.add({ parameters, isFinite: true, policyVersion: 2, weightsHash: "two" });
  await Promise.all([changes.apply((error) => error), known]);
  expect([steps, changes.current.policyVersion]).toEqual([1, 2]);
});

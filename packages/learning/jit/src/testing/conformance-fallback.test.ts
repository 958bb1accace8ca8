import { beforeAll, describe, expect, test } from "vitest";
import { loadBackend } from "../backend/backend.js";
import type { HostArray, TensorSpec } from "../base/spec.js";
import { jit } from "../modules/module.js";
import { expectClose, functionOf, inputsOf } from "./compare.js";
import { cases } from "./table.js";

const functions = Object.fromEntries(Object.entries(cases).map(([name, given]) => [name, functionOf(given)]));

interface Result {
  readonly values: Readonly<Record<string, HostArray>>;
  readonly specs: Readonly<Record<string, TensorSpec>>;
}

const reference = new Map<string, Result>();

beforeAll(async () => {
  const backend = await loadBackend({ prefer: "tensorflow" });
  const eager = jit({ backend, state: {}, functions, mode: "eager" });
  for (const [name, given] of Object.entries(cases)) {
    const values = eager.call(name, inputsOf(given));
    reference.set(name, { values, specs: eager.outputSpecs(name) });
  }
});

describe.each(["wasm", "cpu"] as const)("on %s", (prefer) => {
  const supported = Object.entries(cases).filter(([, given]) => !given.lacking?.includes(prefer));

  test.each(supported)("%s gives what tensorflow gives", async (name, given) => {
    const backend = await loadBackend({ prefer });
    const module = jit({ backend, state: {}, functions: { [name]: functionOf(given) } });
    expect(module.mode).toBe("eager");
    const actual = module.call(name, inputsOf(given));
    const expected = reference.get(name);
    expect(module.outputSpecs(name)).toEqual(expected?.specs);
    for (const [output, values] of Object.entries(expected?.values ?? {})) {
      expectClose(actual[output] ?? new Float32Array(), values, 1e-4, 1e-5);
    }
  });
});

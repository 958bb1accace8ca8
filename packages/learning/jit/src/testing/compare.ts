import { expect } from "vitest";
import type { HostArray } from "../base/spec.js";
import type { HostArrays, JitFunction } from "../trace/jit-function.js";
import type { Case } from "./case.js";

/** Expects every value within rtol·|expected| + atol; NaN equals NaN. */
export function expectClose(actual: HostArray, expected: HostArray, rtol: number, atol: number): void {
  expect(actual.length).toBe(expected.length);
  expect(actual.constructor).toBe(expected.constructor);
  const far = Array.from(expected).flatMap((value, index) => {
    const got = actual[index] ?? Number.NaN;
    const same =
      Object.is(got, value) || got === value || Math.abs(got - value) <= rtol * Math.abs(value) + atol;
    return same ? [] : [{ index, got, expected: value }];
  });
  expect(far.slice(0, 4)).toEqual([]);
}

/** A case as a function whose outputs are named by position. */
export function functionOf({ inputs, body }: Case): JitFunction {
  return {
    inputs,
    body: (_, tensors) => ({
      outputs: Object.fromEntries(body(tensors).map((tensor, index) => [`${index}`, tensor])),
    }),
  };
}

export function inputsOf({ inputs }: Case): HostArrays {
  return Object.fromEntries(Object.entries(inputs).map(([name, { values }]) => [name, values]));
}

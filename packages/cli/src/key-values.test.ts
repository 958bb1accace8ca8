import { expect, test } from "vitest";
import { parseAmount, parseKeyValues, parseQuantities, parseWhole } from "./key-values.js";

test("names and values are read, spaces around them left out", () => {
  expect(parseKeyValues("zone=a, disk = ssd")).toEqual({ zone: "a", disk: "ssd" });
  expect(parseQuantities("tpu=2,slot=0.5")).toEqual({ tpu: 2, slot: 0.5 });
});

test("what is not NAME=VALUE is refused with what to write", () => {
  expect(() => parseKeyValues("zone")).toThrowError(/"zone" is not NAME=VALUE/);
  expect(() => parseQuantities("tpu=many")).toThrowError(/"many" is not a number/);
  expect(() => parseAmount("-1")).toThrowError(/≥ 0/);
  expect(() => parseAmount("")).toThrowError(/≥ 0/);
  expect(() => parseWhole("1.5")).toThrowError(/whole/);
});

import { expect, test } from "vitest";
import {
  parseAmount,
  parseCount,
  parseKeyValues,
  parseLengths,
  parseQuantities,
  parseWhole,
} from "./key-values.js";

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
  expect(() => parseCount("0")).toThrowError(/≥ 1/);
});

test("lengths are whole numbers between commas or spaces, each once", () => {
  expect(parseLengths("50, 200 800")).toEqual([50, 200, 800]);
  expect(() => parseLengths(" ")).toThrowError(/names no length/);
  expect(() => parseLengths("50,0")).toThrowError(/≥ 1/);
  expect(() => parseLengths("50 200,50")).toThrowError(/names 50 twice/);
});

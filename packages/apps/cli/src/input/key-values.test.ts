import { expect, test } from "vitest";
import {
  collectVariables,
  parseAmount,
  parseCount,
  parseKeyValues,
  parseLengths,
  parsePort,
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
  expect(() => parseWhole("9007199254740993")).toThrowError(/whole number up to 9007199254740991/);
  expect(() => parseKeyValues("a=1,b=2,a=3")).toThrowError(/has a twice; write it once/);
  expect(() => parseCount("0")).toThrowError(/≥ 1/);
  expect(parsePort("65535")).toBe(65_535);
  expect(() => parsePort("65536")).toThrowError('"65536" is not a port; give a number from 0 to 65535');
});

test("variables keep every character of their value; a name alone stands for this command's own", () => {
  const collect = collectVariables({ OWN: "a secret" });
  expect(collect("OWN", collect("A=x=1, y"))).toEqual({ A: "x=1, y", OWN: "a secret" });
  expect(collect("EMPTY=")).toEqual({ EMPTY: "" });
  expect(() => collect("MISSING")).toThrowError(/MISSING is not set here/);
  expect(() => collect("=x")).toThrowError(/does not start with the name of a variable/);
});

test("lengths are whole numbers between commas or spaces, each once", () => {
  expect(parseLengths("50, 200 800")).toEqual([50, 200, 800]);
  expect(() => parseLengths(" ")).toThrowError(/contains no length/);
  expect(() => parseLengths("50,0")).toThrowError(/≥ 1/);
  expect(() => parseLengths("50 200,50")).toThrowError(/contains 50 twice/);
});

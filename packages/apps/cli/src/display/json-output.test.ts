import { Option } from "commander";
import { expect, it } from "vitest";
import { z } from "zod";
import { JsonOutput, jsonOutputOf } from "./json-output.js";

it("finds the output of an option of another class, as a second bundle of programs has it", () => {
  const output = new JsonOutput(() => z.object({}));
  const ofOtherBundle = Object.assign(new Option("--json", "as JSON"), { output });
  expect(jsonOutputOf([new Option("--out <file>", "a file"), ofOtherBundle])).toBe(output);
  expect(jsonOutputOf([output.option()])).toBe(output);
  expect(jsonOutputOf([new Option("--json", "as JSON")])).toBeUndefined();
});

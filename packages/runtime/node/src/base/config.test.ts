import { expect, test } from "vitest";
import { parseNodeConfig } from "./config.js";

const config = { headAddress: "head:1", token: "t", dataDir: "/data", modulesFrom: "/entry.js" };

test.each([
  ["cpus", "cpus"],
  ["cpu", "cpus"],
  ["num_gpus", "gpus"],
  ["mem", "memoryBytes"],
  ["memory", "memoryBytes"],
])("the resource %s of every node is not offered once more as a custom one", (name, option) => {
  const problem = `resources.${name}: every node has it: offer it as ${option}`;
  expect(() => parseNodeConfig({ ...config, resources: { [name]: 4 } })).toThrow(problem);
});

test("any other name is offered as it is", () => {
  expect(parseNodeConfig({ ...config, resources: { license: 2 } }).resources).toEqual({ license: 2 });
});

test("names of variables are passed without spaces around them, and are refused with a value", () => {
  const passed = (...names: string[]) =>
    parseNodeConfig({ ...config, passEnvironment: names }).passEnvironment;
  expect(passed("A", " B ", "*")).toEqual(["A", "B", "*"]);
  for (const name of ["A=1", "A B", " "])
    expect(() => passed(name)).toThrow(/passEnvironment\[0\]: must be the name of a variable alone/);
});

import { expect, test } from "vitest";
import { ownResource, resourceNameProblem } from "./resource-names.js";

test.each([
  ["cpu", "cpus", "num_cpus", "CPU", "Num-Cpus"],
  ["gpu", "gpus", "num_gpus", "GPUs"],
  ["memory", "mem", "memory_bytes", "memoryBytes"],
])("%s has names in other systems, which are no resources of their own", (own, ...others) => {
  expect([own, ...others].map(ownResource)).toEqual([own, ...others].map(() => own));
  expect(resourceNameProblem(own)).toBeUndefined();
  for (const name of others) expect(resourceNameProblem(name)).toContain(`did you mean ${own}?`);
});

test.each(["license", "slots", "constructor", "tpu", "cpu_time"])("%s is a resource of its own", (name) => {
  expect([ownResource(name), resourceNameProblem(name)]).toEqual([undefined, undefined]);
});

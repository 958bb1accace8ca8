import { expect, test } from "vitest";
import { fromEnvironment } from "./environment.js";

test("a driver finds its cluster in its environment", () => {
  const environment = {
    PALIMPSEST_ADDRESS: "127.0.0.1:1",
    PALIMPSEST_TOKEN: "t",
    PALIMPSEST_JOB_ID: "job-1",
  };
  expect(fromEnvironment(environment)).toEqual({
    address: "127.0.0.1:1",
    token: "t",
    tls: "",
    jobId: "job-1",
  });
  expect(fromEnvironment({ ...environment, PALIMPSEST_JOB_ID: undefined }).jobId).toBe("");
});

test("a variable that is missing is named", () => {
  expect(() => fromEnvironment({ PALIMPSEST_ADDRESS: "127.0.0.1:1" })).toThrow(
    /PALIMPSEST_TOKEN is not set: .*connect\(\)/,
  );
});

import { expect, it } from "vitest";
import { aSpec } from "../testing/builders.js";
import { specUnder } from "./actor.js";
import { contentHash, decodeSubmission, encodeSubmission, submissionFromProto } from "./job.js";

const [first, second] = ["a".repeat(64), "b".repeat(64)];

it("variables of a child are added to its parent's, folder and packages replace the parent's", () => {
  const packages = { bundle: first, installScripts: true };
  const parent = aSpec("parent", { environment: { A: "1", B: "1" }, workingDir: first, packages });
  expect(specUnder(aSpec("child", { environment: { B: "2" } }), parent)).toMatchObject({
    environment: { A: "1", B: "2" },
    workingDir: first,
    packages,
  });
  const own = aSpec("child", { workingDir: second, packages: { bundle: second } });
  expect(specUnder(own, parent)).toMatchObject({
    workingDir: second,
    packages: { bundle: second, installScripts: false },
  });
  expect(specUnder(own, undefined)).toEqual(own);
});

it("variables that take too much together, and hashes that are none, are refused by field; no value is shown", () => {
  const large = (name: string) => ({ environment: { [name]: "hidden".repeat(7_000) } });
  const parent = aSpec("parent", large("A"));
  expect(() => specUnder(aSpec("child", large("B")), parent)).toThrow(
    /environment takes 84004 bytes, including what is inherited/,
  );
  expect(() => aSpec("x", { workingDir: "folder" })).toThrow('working_dir is "folder"');
  expect(() => aSpec("x", { packages: { bundle: "" } })).toThrow('packages.bundle is ""');
  expect(() => aSpec("x", { environment: { "": "hidden" } })).toThrow('environment sets ""');
  expect(() => aSpec("x", { environment: { A: "hidden\0" } })).toThrow(/^(?!.*hidden).*environment\[A\]/);
});

it("a submission keeps its environment in the store; packages are of programs alone", () => {
  const request = { bundle: first, environment: { A: "1" }, workingDir: first, packages: { bundle: second } };
  const submission = submissionFromProto(request);
  expect(decodeSubmission(encodeSubmission(submission))).toEqual(submission);
  expect(contentHash(submission)).not.toBe(contentHash(submissionFromProto({ ...request, packages: null })));
  const { bundle: _, ...recipe } = request;
  expect(() => submissionFromProto({ ...recipe, recipe: "agent: memagent\n" })).toThrow(
    "packages can be given for a program only",
  );
});

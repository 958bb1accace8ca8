import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { mistypedVariables, variables } from "./mistyped-variables.js";

it("names the variable that was probably meant, and leaves those of users alone", () => {
  expect(mistypedVariables({ PALIMPSEST_ADRESS: "x", PALIMPSEST_TOKENFILE: "x" })).toEqual([
    "PALIMPSEST_ADRESS is not read by palimpsest; did you mean PALIMPSEST_ADDRESS?",
    "PALIMPSEST_TOKENFILE is not read by palimpsest; did you mean PALIMPSEST_TOKEN_FILE?",
  ]);
  const own = { PALIMPSEST_STAGE: "x", PALIMPSEST_MY_BUCKET: "x", ADRESS: "x" };
  expect(mistypedVariables({ ...own, ...Object.fromEntries(variables.map((name) => [name, "x"])) })).toEqual(
    [],
  );
});

it("knows every variable that a package reads", () => {
  const files = execFileSync(
    "git",
    ["ls-files", "packages/*/src/**.ts", "packages/*/src/**.cts", "packages/*/bin", "scripts/setup"],
    {
      encoding: "utf8",
    },
  )
    .split("\n")
    .filter((file) => file !== "" && !/\.test\.ts$|\.fixture\.ts$/.test(file));
  const found = execFileSync("grep", ["-ohE", "PALIMPSEST_[A-Z0-9_]+", ...files], { encoding: "utf8" });
  const read = new Set(found.trim().split("\n"));
  expect([...read].filter((name) => !variables.includes(name) && !name.endsWith("_"))).toEqual([]);
  expect(variables.filter((name) => !read.has(name))).toEqual([]);
});

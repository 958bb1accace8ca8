import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

/** CommonJS modules, as tfjs is, that a process has after it imported a built module of this package. */
function loaded(module: string): readonly string[] {
  const url = JSON.stringify(new URL(`../../dist/${module}.js`, import.meta.url));
  const program = `
    import { createRequire } from "node:module";
    await import(${url});
    process.stdout.write(JSON.stringify(Object.keys(createRequire(${url}).cache)), () => process.exit());`;
  const text = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  return JSON.parse(text) as string[];
}

it("a reward actor's process loads nothing that computes with tensors; that of the others does", () => {
  const tensors = (module: string) => loaded(module).filter((path) => path.includes("@tensorflow"));
  expect(tensors("actors/reward-actor")).toEqual([]);
  expect(tensors("actors")).not.toEqual([]);
});

import { expect, test } from "vitest";
import { inSources } from "./source-places.js";

/** A module whose first line came from the third one of grown.ts. */
const map = { version: 3, sources: ["/own/grown.ts"], names: [], mappings: "AAEA" };
const comment = "//# sourceMappingURL=data:application/json;base64,";
const module = `function grown(a) { return a.n; }\n${comment}${Buffer.from(JSON.stringify(map)).toString("base64")}\n`;

test("a function of a module with a source map is named by its author's line; others keep their names", () => {
  const names = [
    "grown (file:///b/bundle.mjs:1:15)",
    "plain (file:///b/other.mjs:3:1)",
    "(program)",
    "read (node:fs:4:5)",
  ];
  const profile = { names, parents: [], functions: [], selfs: [] };
  const mapped = inSources(profile, (url) => (url.endsWith("bundle.mjs") ? module : "no map\n"));
  expect(mapped.names).toEqual(["grown (/own/grown.ts:3:1)", ...names.slice(1)]);
});

test("a module that is not there, or whose map is damaged, keeps its names", () => {
  const profile = { names: ["f (file:///no/such/module.mjs:1:1)"], parents: [], functions: [], selfs: [] };
  expect(inSources(profile)).toEqual(profile);
  expect(inSources(profile, () => `${comment}bm8=\n`)).toEqual(profile);
});

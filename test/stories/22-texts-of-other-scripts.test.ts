/**
 * Tests that the command says of Portuguese, Chinese and Arabic texts what the library says of them: users run the bundle
 * of the command, and the other tests the modules that it is made of.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundledProgram } from "../../packages/apps/cli/src/installation/bundled-programs.js";
import { asked, checkEpisodes, texts } from "../support/episodes.js";
import { testFolder } from "../support/temporary-folder.js";

test("this is the bundle that users run", () => {
  expect(bundledProgram("commands"), "it is stale: npm run setup").toBeDefined();
});

test("ask --trace and trace view agree with the library", () => checkEpisodes(testFolder()), 120_000);

test("the page of ask --trace has the signs of its own texts", async () => {
  const folder = testFolder();
  const page = join(folder, "steps.html");
  const { portuguese } = texts;
  if (portuguese === undefined) throw new Error("there is no such text");
  await asked(folder, portuguese, page);
  const html = await readFile(page, "utf8");
  expect(html).toMatch(/>memagent · not scored · \d+ steps? · \d+ tokens · /);
  expect(html).toContain(portuguese.sentence);
}, 120_000);

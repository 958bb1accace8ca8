import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachedModelFolder, knownModel, memoryNeeds } from "@palimpsest/model";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { chooseModel } from "./chosen-model.js";

const large = "qwen2.5-1.5b-instruct";
const middle = "qwen2.5-0.5b-instruct";
const need = (name: string) => {
  const known = knownModel(name);
  if (known === undefined) throw new Error(name);
  return memoryNeeds(known.config).samplingInt8Bytes;
};

let cacheDir: string;
beforeEach(() => {
  cacheDir = testFolder();
});

/** Puts a model into the cache, where only whole models have a config. */
function put(name: string): void {
  const known = knownModel(name);
  if (known === undefined || !("repo" in known)) throw new Error(name);
  const folder = cachedModelFolder(cacheDir, `${known.repo}@${known.revision}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), "{}");
}

describe("chooseModel", () => {
  it("takes the best model that is there and fits, and says why in one line", async () => {
    put(middle);
    put(large);
    const rich = await chooseModel({ cacheDir }, need(large));
    expect(rich.name).toBe(large);
    expect(rich.note).toMatch(
      /^answers with qwen2\.5-1\.5b-instruct, .*needs 14\.9 GB, with 14\.9 GB .*--model/,
    );
    const poor = await chooseModel({ cacheDir }, need(large) - 1);
    expect(poor.name).toBe(middle);
    expect(poor.note).toContain("too large: qwen2.5-1.5b-instruct needs 14.9");
    expect(poor.note).not.toContain("\n");
  });

  it("downloads nothing, and names a model without an account that would fit", async () => {
    const none = await chooseModel({ cacheDir }, need(middle));
    expect(none.name).toBeUndefined();
    expect(none.note).toMatch(/^answers with smollm2-memagent.*model download qwen2\.5-0\.5b-instruct/);
    put(middle);
    const short = await chooseModel({ cacheDir }, need(middle) - 1);
    expect(short.name).toBeUndefined();
    expect(short.note).toMatch(
      /too large: qwen2\.5-0\.5b-instruct needs 5\.\d GB.*download smollm2-360m-instruct/,
    );
    expect((await chooseModel({ cacheDir }, 1e8)).note).not.toContain("download");
  });
});

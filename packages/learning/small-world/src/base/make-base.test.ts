import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashWeights, loadModel } from "@palimpsest/model";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { baseRecipeSchema } from "./base-recipe.js";
import { type BaseProgress, makeBaseModel } from "./make-base.js";

const recipePath = join(import.meta.dirname, "../../../../../recipes/quickstart-base.yaml");
const quickstart = baseRecipeSchema.parse(parse(readFileSync(recipePath, "utf8")));
/** The quickstart's base, a few steps of each stage. */
const recipe = {
  ...quickstart,
  threads: 1,
  repeat: { ...quickstart.repeat, steps: 3, batch: 4 },
  recall: { ...quickstart.recall, steps: 2, batch: 4 },
  format: { ...quickstart.format, steps: 3, batch: 4 },
};
const folder = fileFolder();

const make = async (
  name: string,
  options: { seed?: number; onProgress?: (step: BaseProgress) => void } = {},
) =>
  await makeBaseModel({
    recipe,
    outDir: join(folder, name),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...options,
  });

describe("makeBaseModel", () => {
  it("writes a model folder and tells every step of every stage", async () => {
    const steps: BaseProgress[] = [];
    const made = await make("a", { onProgress: (step) => steps.push(step) });
    expect(steps.map(({ stage, step }) => `${stage} ${step}`)).toEqual([
      ...["repeat 1", "repeat 2", "repeat 3", "recall 1", "recall 2", "format 1", "format 2", "format 3"],
    ]);
    expect(steps.every(({ loss }) => loss > 0 && loss < 10)).toBe(true);
    expect(steps.at(-1)?.secondsLeft).toBe(0);
    const { config, parameters, tokenizer } = await loadModel(made.outDir);
    expect(hashWeights(parameters)).toBe(made.weightsHash);
    expect(config).toEqual(made.model);
    expect(tokenizer?.vocabSize).toBe(config.vocabSize);
  });

  it("makes the same base of the same seed and another of another (BASE-1)", async () => {
    const { parameters } = await loadModel(join(folder, "a"));
    expect((await make("b")).weightsHash).toBe(hashWeights(parameters));
    expect((await make("c", { seed: 99 })).weightsHash).not.toBe(hashWeights(parameters));
  });

  it("leaves nothing behind when it is stopped (BASE-2)", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const onProgress = ({ stage }: BaseProgress) => {
      if (stage === "recall") stop.abort(reason);
    };
    const options = { recipe, outDir: join(folder, "stopped"), signal: stop.signal, onProgress };
    await expect(makeBaseModel(options)).rejects.toBe(reason);
    expect(existsSync(options.outDir)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
  });
});

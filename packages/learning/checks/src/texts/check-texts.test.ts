import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Backend, loadBackend } from "@palimpsest/jit";
import {
  BpeTokenizer,
  forwardHidden,
  initParameters,
  loadModel,
  logitsOf,
  type ModelFolder,
  parameterShapes,
} from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { byteCharacters } from "../../../model/src/tokens/byte-alphabet.js";
import { type Measure, maxDifference, passes } from "../measure.js";
import { checkTexts } from "./check-texts.js";
import { type ReferenceText, readReferenceTexts } from "./reference-texts.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const reference = `${shared}/fixtures/smollm2/reference.json`;
const cacheDir = process.env["PALIMPSEST_CACHE"] ?? join(homedir(), ".cache/palimpsest");
const folder = join(cacheDir, "models/smollm2-135m-instruct");
const missing = !existsSync(reference) || !existsSync(join(folder, "config.json"));
if (missing) {
  const fix = "palimpsest model download smollm2-135m-instruct";
  process.stderr.write(`skipped: SmolLM2's parity needs ${reference} and ${folder} (${fix})\n`);
}

const measured = (measures: readonly Measure[], name: string) => {
  const found = measures.find((measure) => measure.name === name);
  if (found === undefined) throw new Error(`no measure ${name}`);
  return found.value;
};

describe.skipIf(missing)("SmolLM2-135M-Instruct beside transformers", () => {
  it("has the same token ids, log-probabilities, likeliest tokens and greedy continuations", async () => {
    const backend = await loadBackend();
    const model = await loadModel(folder);
    const cases = await readReferenceTexts(reference);
    const measures = await checkTexts(model, cases, { backend });
    expect(measures.filter((measure) => !passes(measure))).toEqual([]);
    expect(measures).toHaveLength(6);
    // The bar leaves room for other precisions; float32 is this close.
    expect(measured(measures, "log-probabilities of the texts")).toBeLessThan(2e-4);
  });
});

describe("a model beside a reference", () => {
  it("is distinguished where one number, token or word differs, and only there", async () => {
    const backend = await loadBackend({ prefer: "cpu" });
    const config = smallConfig({ vocabSize: 256 });
    const tokenizer = new BpeTokenizer({
      normalizer: null,
      post_processor: null,
      added_tokens: [],
      pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
      decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
      model: {
        type: "BPE",
        vocab: Object.fromEntries(byteCharacters.map((token, id) => [token, id])),
        merges: [],
      },
    });
    const model = { config, parameters: initParameters(config, 3), tokenizer };
    const right = await ownReference(model, "ab cd", backend);
    expect((await checkTexts(model, [right], { backend })).filter((measure) => !passes(measure))).toEqual([]);
    const [one = 0, ...more] = right.logprobs;
    const [top = [0, 0], ...rest] = right.last_top5;
    const failed = async (wrong: Partial<ReferenceText>) => {
      const measures = await checkTexts(model, [{ ...right, ...wrong }], { backend });
      return measures.filter((measure) => !passes(measure)).map(({ name }) => name);
    };
    expect(await failed({ text: "ab ce" })).toEqual(["texts with other token ids"]);
    expect(await failed({ logprobs: [one + 0.01, ...more] })).toEqual(["log-probabilities of the texts"]);
    expect(await failed({ last_top5: [[top[0], top[1] - 0.01], ...rest] })).toEqual([
      "log-probabilities of the likeliest",
    ]);
    expect(await failed({ last_top5: [...rest, top] })).toEqual(["texts with other likeliest tokens"]);
    const greedy = right.greedy_ids;
    const otherEnd = [...greedy.slice(0, -1), ((greedy.at(-1) as number) + 1) % 256];
    expect(await failed({ greedy_ids: otherEnd })).toEqual(["greedy continuations that differ"]);
    expect(await failed({ greedy_text: "?" })).toEqual(["greedy texts that differ"]);
    await expect(
      checkTexts({ config, parameters: model.parameters }, [right], { backend }),
    ).rejects.toMatchObject({
      code: "TOKENIZER_INVALID",
    });
  });
});

/** What the model says of a text, token by token through whole forward passes. */
async function ownReference(
  { config, parameters, tokenizer }: ModelFolder & { readonly tokenizer: BpeTokenizer },
  text: string,
  { tf }: Backend,
): Promise<ReferenceText> {
  const shapes = parameterShapes(config);
  const tensors = Object.fromEntries(
    Object.entries(parameters).map(([name, values]) => [name, tf.tensor(values, [...(shapes[name] ?? [])])]),
  );
  const distribution = async (tokenIds: readonly number[]): Promise<Float32Array> => {
    const hidden = forwardHidden(tensors, tf.tensor2d([[...tokenIds]], undefined, "int32"), config);
    const last = hidden.slice([0, tokenIds.length - 1, 0], [1, 1, config.hiddenSize]);
    const logits = logitsOf(tensors, last.reshape([1, config.hiddenSize]), config);
    return (await logits.logSoftmax().data()) as Float32Array;
  };
  const ids = tokenizer.encode(text);
  const logprobs: number[] = [];
  for (let t = 1; t < ids.length; t++) {
    logprobs.push((await distribution(ids.slice(0, t)))[ids[t] as number] as number);
  }
  const ranked = [...(await distribution(ids)).entries()].sort((a, b) => b[1] - a[1]);
  const greedy: number[] = [];
  while (greedy.length < 6) {
    const next = await distribution([...ids, ...greedy]);
    greedy.push(next.indexOf(Math.max(...next)));
  }
  return {
    text,
    ids,
    logprobs,
    last_top5: ranked.slice(0, 5),
    greedy_ids: greedy,
    greedy_text: tokenizer.decode(greedy),
  };
}

describe("a reference of texts", () => {
  it("that is missing, no JSON or without a field is refused by name", async () => {
    const temporary = testFolder();
    const path = join(temporary, "reference.json");
    await expect(readReferenceTexts(path)).rejects.toMatchObject({ code: "FILE_MISSING" });
    await writeFile(path, "{");
    await expect(readReferenceTexts(path)).rejects.toThrow("no JSON");
    await writeFile(path, JSON.stringify({ cases: [{ text: "a", ids: [1, 2] }] }));
    await expect(readReferenceTexts(path)).rejects.toThrow("logprobs");
  });
});

describe("a measure", () => {
  it("passes on the right side of its bar only, and never with NaN", () => {
    const measure = { name: "m", bar: 0.5 };
    expect(passes({ ...measure, value: 0.5, goal: "atMost" })).toBe(true);
    expect(passes({ ...measure, value: 0.6, goal: "atMost" })).toBe(false);
    expect(passes({ ...measure, value: 0.6, goal: "atLeast" })).toBe(true);
    expect(passes({ ...measure, value: Number.NaN, goal: "atMost" })).toBe(false);
    expect(passes({ ...measure, value: Number.NaN, goal: "atLeast" })).toBe(false);
    expect(maxDifference([1, 5], [1.5, 0], (i) => i === 0)).toBe(0.5);
    expect(maxDifference([1, Number.NaN, 1], [1, 1, 9])).toBeNaN();
    expect(maxDifference([1], [1, 2])).toBe(Number.POSITIVE_INFINITY);
  });
});

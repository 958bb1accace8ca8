import { fileURLToPath } from "node:url";
import { systemSettings } from "@palimpsest/evals";
import { expect, it } from "vitest";
import { type EvalFlags, readEvalSettings } from "./eval-flags.js";

const recipe = fileURLToPath(new URL("../../../../../recipes/evals/smollm2-longqa.yaml", import.meta.url));
const flags = (overrides: Partial<EvalFlags> = {}): EvalFlags => ({ set: [], seed: 0, ...overrides });

it("reads the committed settings of the small model, parts that repeat others included", () => {
  const settings = readEvalSettings(flags({ settings: recipe }));
  expect(settings.run).toContain("rememr1");
  for (const name of settings.run ?? []) systemSettings(name, settings);
  const [whole, without] = ["rememr1", "rememr1-no-recall"].map((name) => systemSettings(name, settings));
  const kept = whole?.kind === "agent" ? whole.settings : {};
  expect(without).toMatchObject({ kind: "agent", settings: { ...kept, recall: false } });
});

it("lets flags replace parts of the file", () => {
  const settings = readEvalSettings(
    flags({ settings: recipe, concurrency: 2, set: ["memagent.chunkTokens=99", "answer.form=boxed"] }),
  );
  expect(settings.concurrency).toBe(2);
  expect(settings.answer.form).toBe("boxed");
  expect(systemSettings("memagent", settings)).toMatchObject({ settings: { chunkTokens: 99 } });
});

it("refuses flags of a server's model without a server", () => {
  for (const given of [{ tokenizer: "t" }, { timeout: 3 }])
    expect(() => readEvalSettings(flags(given))).toThrow(/--(tokenizer|timeout) .*name its --endpoint/);
  readEvalSettings(flags({ timeout: 3, endpoint: "http://127.0.0.1:8000" }));
});

it("refuses a backend with a server, whose model has its own", () => {
  const endpoint = "http://127.0.0.1:8000";
  expect(() => readEvalSettings(flags({ endpoint, backend: "wasm" }))).toThrow(
    "--backend wasm: concerns a local model: leave --endpoint out, or leave --backend out",
  );
  readEvalSettings(flags({ endpoint, backend: "auto" }));
});

it("refuses a system that it does not know before a tokenizer or a model is loaded", () => {
  expect(() => readEvalSettings(flags({ systems: ["memagent", "memagnet@other"] }))).toThrow(
    /systems: "memagnet" is unknown; use one of .*memagent/,
  );
});

it("names what is wrong with a setting", () => {
  expect(() => readEvalSettings(flags({ set: ["chunkTokens"] }))).toThrow(/"chunkTokens" is not PATH=VALUE/);
  expect(() => readEvalSettings(flags({ settings: "/nowhere.yaml" }))).toThrow(
    /settings "\/nowhere.yaml" cannot be read \(it does not exist/,
  );
});

it("knows the published settings by their name", () => {
  const settings = readEvalSettings(flags({ settings: "published" }));
  expect(settings).toMatchObject({
    temperature: 0.7,
    topP: 0.95,
    answer: { form: "phrase", golds: "first", primary: "subExactMatch" },
    reader: { truncatedTokens: 130_000, answerTokens: 10_000 },
  });
  const memagent = systemSettings("memagent", settings);
  const finalPrompt = memagent.kind === "agent" ? memagent.settings["finalPrompt"] : undefined;
  expect(finalPrompt).toContain("the answer is");
});

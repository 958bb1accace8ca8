import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { createSystem, type EvalItem, systemSettings } from "@palimpsest/evals";
import { describe, expect, it } from "vitest";
import { readEvalSettings } from "./eval-flags.js";

const folder = fileURLToPath(new URL("../../../../../recipes/evals/", import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
const settingsOf = (file: string) => readEvalSettings({ set: [], seed: 0, settings: `${folder}${file}` });

function modelThatSays(turns: readonly string[]) {
  const tokenizer = wordTokenizer(["<|im_start|>", "<|im_end|>"]);
  const prompts: string[] = [];
  const reply = (prompt: string) => {
    prompts.push(prompt);
    return turns[prompts.length - 1] ?? "none";
  };
  const sampler = scriptedSampler({ tokenizer, reply });
  return { prompts, model: { tokenizer, sampler, identity: "scripted" } };
}

describe("committed settings of evaluations", () => {
  it.each(files)("%s makes every system that it names or runs", (file) => {
    const settings = settingsOf(file);
    const { model } = modelThatSays([]);
    for (const name of new Set([...(settings.run ?? []), ...Object.keys(settings.systems)])) {
      const system = systemSettings(name, settings);
      expect(createSystem({ label: name, system, settings, model }).name).toBe(name);
    }
    expect(settings.run?.length).toBeGreaterThan(3);
  });

  it("lets MemUpdate search, write and end in turns of the form that its examples have", async () => {
    const settings = settingsOf("smollm2-locomo.yaml");
    const { prompts, model } = modelThatSays(["search Anna Oslo", "create Anna is in Oslo.", "DONE", "Oslo"]);
    const system = systemSettings("memupdate", settings);
    const memupdate = createSystem({ label: "memupdate", system, settings, model });
    const item: EvalItem = {
      id: "q",
      group: "all",
      question: "Where is Anna? Be short.",
      searchQuery: "Where is Anna?",
      answers: ["Oslo"],
      document: "",
      records: [
        { id: "m1", content: "Anna moved to Oslo.", memoryType: "episodic", provenance: [], metadata: {} },
      ],
      metadata: {},
    };
    const { signal } = new AbortController();
    const prediction = await memupdate.answer(item, { signal, seed: 0 });
    expect(prediction.text.trim()).toBe("Oslo");
    expect(prediction.measures).toMatchObject({ done_calls: 2, "ended.done": 1, "records.created": 1 });
    const [first = "", second = "", third = "", reader = ""] = prompts;
    expect(first.endsWith("<|im_start|>user\nWhere is Anna?<|im_end|>\n<|im_start|>assistant\n")).toBe(true);
    expect(second.slice(first.length)).toMatch(
      /^ ?search Anna Oslo<\|im_end\|>\n<\|im_start\|>user\nFound 1 of 1 memory:\n\[m1\] .*<\|im_end\|>\n<\|im_start\|>assistant\n$/s,
    );
    expect(third).toMatch(/user\nCreated \[n2\]\.<\|im_end\|>\n<\|im_start\|>assistant\n$/);
    expect(reader).toContain("Anna is in Oslo.");
    expect(reader).toContain("Question: Where is Anna? Be short.<|im_end|>");
    // What the examples show is what tools say.
    expect(first).toContain(
      "Found 2 of 90 memories:\n[m12] (score 0.61, 2023-03-02T10:15, Ada, session_4) Ada",
    );
    expect(first).toContain("Created [n91].");
  });
});

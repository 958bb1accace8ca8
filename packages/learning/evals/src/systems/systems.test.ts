import { agentSettingsSchema } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { type Embedder, hashedEmbedder } from "@palimpsest/memory";
import { describe, expect, it } from "vitest";
import { createSystem, systemSettings } from "./create-system.js";
import { builtInSystems, type EvalSettings, parseEvalSettings } from "./eval-settings.js";
import { overrideSetting } from "./override.js";

const none = parseEvalSettings({}, "none");

function modelWith(identity: unknown) {
  const tokenizer = wordTokenizer();
  const sampler = scriptedSampler({ tokenizer, reply: () => " yes" });
  return { sampler, tokenizer, identity };
}
const text = { prompt: "text", stopTokens: ["<|end|>"] };
const plain: EvalSettings = parseEvalSettings(
  {
    reader: text,
    systems: Object.fromEntries(
      Object.entries(builtInSystems).map(([name, system]) => [
        name,
        system.kind === "agent" || system.kind === "trained"
          ? { ...system, settings: { ...system.settings, ...text } }
          : system,
      ]),
    ),
  },
  "plain",
);
/** The agent of every recipe here reads sections of as many tokens as its name says. */
const trainedAgent = (recipe = "640") =>
  agentSettingsSchema.parse({ preset: "memagent", settings: { ...text, chunkTokens: Number(recipe) } });
const make = (name: string, settings = plain, identity: unknown = "m") =>
  createSystem({
    label: name,
    system: systemSettings(name, settings),
    settings,
    model: modelWith(identity),
    trainedAgent,
  });

describe("systems from settings", () => {
  it("makes every built-in one, each with settings that tell it from the others", () => {
    const names = Object.keys(builtInSystems);
    const systems = names.map((name) => make(name));
    expect(systems.map(({ name }) => name)).toEqual(names);
    expect(new Set(systems.map(({ settings }) => JSON.stringify(settings))).size).toBe(names.length);
  });

  it("refuses a temperature of one agent, which the evaluation's would replace", () => {
    const idle = overrideSetting(plain, "memagent.temperature", 0.7);
    expect(() => make("memagent", idle)).toThrow("systems.memagent.settings.temperature: 0.7 has no effect");
  });

  it("asks within what the model takes, unless the settings say otherwise", () => {
    const contextTokens = (settings: EvalSettings) => {
      const system = systemSettings("full-context", settings);
      const model = { ...modelWith("m"), contextTokens: 777 };
      const made = createSystem({ label: "x", system, settings, model });
      return JSON.stringify(made.settings).match(/"contextTokens":(\d+)/)?.[1];
    };
    expect(contextTokens(plain)).toBe("777");
    expect(contextTokens(overrideSetting(plain, "reader.contextTokens", 555))).toBe("555");
    expect(contextTokens(overrideSetting(plain, "full-context.contextTokens", 333))).toBe("333");
    expect(() => contextTokens(overrideSetting(plain, "reader.contexttokens", 1))).toThrow(
      /BAD_CONFIG.*reader/s,
    );
  });

  it("keeps another model, prompt or limit apart from what was answered before", () => {
    const settings = (one: ReturnType<typeof make>) => JSON.stringify(one.settings);
    expect(settings(make("memagent"))).toBe(settings(make("memagent")));
    expect(settings(make("memagent", plain, "other"))).not.toBe(settings(make("memagent")));
    const changed = overrideSetting(plain, "memagent.chunkTokens", 77);
    expect(settings(make("memagent", changed))).not.toBe(settings(make("memagent")));
    expect(settings(make("rag-bm25", changed))).toBe(settings(make("rag-bm25")));
    const reader = overrideSetting(plain, "reader.passages", 2);
    expect(settings(make("rag-bm25", reader))).not.toBe(settings(make("rag-bm25")));
  });

  it("makes a trained agent of its recipe, by default that of the run", () => {
    const settings = (one: ReturnType<typeof make>) => JSON.stringify(one.settings);
    expect(settings(make("trained"))).toContain('"chunkTokens":640');
    expect(settings(make("trained", overrideSetting(plain, "trained.recipe", "320")))).toContain(
      '"chunkTokens":320',
    );
    const changed = settings(make("trained", overrideSetting(plain, "trained.memoryTokens", 9)));
    expect(changed).toContain('"chunkTokens":640');
    expect(changed).toContain('"memoryTokens":9');
    const system = systemSettings("trained", plain);
    expect(() => createSystem({ label: "x", system, settings: plain, model: modelWith("m") })).toThrow(
      /BAD_CONFIG.*systems.x/s,
    );
  });

  it("gives an agent's store the embedder that the agent's settings name, and no other", () => {
    const memupdate = (embedder: object, agentEmbedder?: Embedder) => {
      const settings = overrideSetting(plain, "memupdate.embedder", embedder);
      const system = systemSettings("memupdate", settings);
      const model = modelWith("m");
      return createSystem({
        label: "x",
        system,
        settings,
        model,
        ...(agentEmbedder ? { agentEmbedder } : {}),
      });
    };
    expect(memupdate({ kind: "hashed", dimensions: 64 }).name).toBe("x");
    const served = { kind: "endpoint", url: "http://127.0.0.1:1", model: "e", dimensions: 8 };
    // Its own embedder must be opened: that of the baselines does not silently replace it.
    expect(() => memupdate(served)).toThrow(/embedder.kind: "endpoint"/);
    expect(memupdate(served, hashedEmbedder({ dimensions: 8 })).name).toBe("x");
  });

  it("replaces single settings, and says which names there are", () => {
    expect(overrideSetting(none, "concurrency", 3).concurrency).toBe(3);
    expect(overrideSetting(none, "answer.form", "boxed").answer.form).toBe("boxed");
    expect(systemSettings("truncated", overrideSetting(none, "truncated.answerTokens", 5))).toMatchObject({
      reader: { answerTokens: 5 },
    });
    expect(systemSettings("memagent", overrideSetting(none, "memagent.preset", "tiny"))).toMatchObject({
      preset: "tiny",
    });
    expect(() => overrideSetting(none, "memagnet.preset", "x")).toThrow(
      /"memagnet" is unknown; use one of memagent,.*; did you mean memagent\?/,
    );
    expect(() => overrideSetting(none, "concurrency", 0)).toThrow(/BAD_CONFIG/);
    expect(() => make("memagent", overrideSetting(plain, "memagent.chunks", 1))).toThrow(
      /BAD_CONFIG.*memagent/s,
    );
  });
});

it("refuses a setting's former name with the one that it has", () => {
  expect(() => parseEvalSettings({ contestants: {} }, "card.yaml")).toThrow(
    "card.yaml: contestants is not a setting; write systems instead",
  );
});

import { agentSettingsSchema } from "@palimpsest/agents";
import { wordTokenizer } from "@palimpsest/agents/testing";
import { describe, expect, it } from "vitest";
import { documentAfterSettings } from "../commands/agents/ask.js";
import { checkWishes, chooseSettings } from "./ask-settings.js";

const chatting = wordTokenizer(["<|im_start|>", "<|im_end|>"]);
const wishes = { agent: "memagent", set: {}, question: "who?" } as const;
const local = (contextTokens: number, parameterCount: number) => ({
  tokenizer: chatting,
  contextTokens,
  parameterCount,
  trainable: true,
});

it("takes a document after --set for what it is", () => {
  expect(documentAfterSettings("-", ["a=b", "c=d", "doc.txt"])).toEqual({
    source: "doc.txt",
    set: ["a=b", "c=d"],
  });
  for (const [source, set] of [
    ["-", ["doc.txt"]],
    ["other.txt", ["a=b", "doc.txt"]],
    ["-", ["a=b", "c=d"]],
    ["-", []],
  ] as const)
    expect(documentAfterSettings(source, set)).toEqual({ source, set });
});

describe("checkWishes", () => {
  it("refuses before a model is loaded what chooseSettings refuses afterwards", () => {
    const trained = agentSettingsSchema.parse({ kind: "rememr1", preset: "rememr1", settings: {} });
    for (const wrong of [{ chunkTokens: -1 }, { chunkTokns: 3 }, { memoryTokens: "many" }])
      for (const given of [wishes, { ...wishes, agent: undefined, trained }])
        for (const check of [
          () => checkWishes({ ...given, set: wrong }),
          () => chooseSettings({ ...given, set: wrong }, local(32_768, 4e9)),
        ])
          expect(check).toThrow(new RegExp(`agent settings: .*${Object.keys(wrong)[0]}`));
    expect(() => checkWishes({ ...wishes, preset: "smal" })).toThrow(
      /preset: .*"smal".*did you mean "small"/,
    );
    checkWishes(wishes);
    checkWishes({ ...wishes, agent: undefined, trained });
  });
});

describe("chooseSettings", () => {
  it("keeps the preset's where the model reads enough", () => {
    const { settings, notes } = chooseSettings(wishes, local(32_768, 4e9));
    expect(settings).toMatchObject({
      kind: "memagent",
      preset: "memagent",
      config: { chunkTokens: 5000, memoryTokens: 1024 },
    });
    expect(notes).toEqual([]);
  });

  it("shows a model below a billion parameters how it is done, and says so", () => {
    for (const agent of ["memagent", "rememr1"] as const) {
      const { settings, notes } = chooseSettings({ ...wishes, agent }, local(4096, 135e6));
      expect(settings).toMatchObject({ kind: agent, preset: "small", config: { chunkTokens: 480 } });
      expect(settings.config.memoryExamples).toHaveLength(2);
      const { wholeTokens } = settings.config as { wholeTokens?: number };
      expect(wholeTokens === undefined).toBe(agent === "rememr1");
      const whole =
        wholeTokens === undefined ? "" : `texts of up to ${wholeTokens} tokens at once, longer ones in `;
      expect(notes).toEqual([
        `for a model of 135 million parameters: prompts with examples, ${whole}sections of 480 tokens, a memory of ${settings.config.memoryTokens} (preset small; --preset ${agent} uses the usual settings)`,
      ]);
      const usual = chooseSettings({ ...wishes, agent }, local(32_768, 1e9));
      expect(usual.settings.preset).toBe(agent);
      expect(chooseSettings({ ...wishes, agent, preset: agent }, local(4096, 135e6)).settings.preset).toBe(
        agent,
      );
    }
  });

  it("reads a short text at once with a local model, unless sections are asked for", () => {
    const whole = (set: object, contextTokens = 4096, parameterCount: number | undefined = 494e6) => {
      const model = { ...local(contextTokens, 1), parameterCount };
      const { settings } = chooseSettings({ ...wishes, set: { ...set } }, model);
      return (settings.config as { wholeTokens?: number }).wholeTokens;
    };
    // The context of small models is limited to 2048; examples, question and answer take the rest.
    const most = whole({}) ?? 0;
    expect(most).toBeGreaterThan(1024);
    expect(most).toBeLessThan(2048);
    expect(whole({}, 8192, 4e9)).toBeGreaterThan(4096);
    expect(whole({ chunkTokens: 300 })).toBeUndefined();
    expect(whole({ wholeTokens: 77 })).toBe(77);
    const { settings } = chooseSettings(wishes, {
      tokenizer: chatting,
      contextTokens: 8192,
      trainable: false,
    });
    expect(settings.config).not.toHaveProperty("wholeTokens");
  });

  it("reads as a run was trained to, unless another agent or preset is asked for", () => {
    const trained = agentSettingsSchema.parse({
      kind: "rememr1",
      preset: "rememr1",
      settings: { chunkTokens: 96, memoryTokens: 24 },
    });
    const asked = { set: { finalTokens: 7 }, question: "who?", trained };
    const { settings, notes } = chooseSettings(asked, local(4096, 135e6));
    expect(settings).toMatchObject({
      kind: "rememr1",
      config: { chunkTokens: 96, memoryTokens: 24, finalTokens: 7 },
    });
    expect(notes).toHaveLength(1);
    const others = [{ agent: "memagent" as const }, { preset: "rememr1" }];
    for (const other of others) {
      const { config } = chooseSettings({ ...asked, ...other }, local(32_768, 4e9)).settings;
      expect(config.chunkTokens).toBe(5000);
    }
  });

  it("counts the examples of a prompt, so that a small context holds them and a section", () => {
    const tokens = (text: string) => chatting.encode(text).length;
    const { settings, notes } = chooseSettings(wishes, local(640, 135e6));
    const { chunkTokens, memoryTokens, memoryPrompt, memoryExamples } = settings.config;
    const shown = memoryExamples.map(({ user, assistant }) => tokens(user) + tokens(assistant));
    const prompt = shown.reduce((sum, length) => sum + length, tokens(memoryPrompt));
    expect(chunkTokens).toBeLessThan(480);
    expect(prompt + chunkTokens + 2 * memoryTokens).toBeLessThanOrEqual(640);
    expect(notes[1]).toContain(`chunkTokens=${chunkTokens}`);
  });

  it("makes sections and memories smaller where a small model is asked with the usual prompts, and says so", () => {
    const { settings, notes } = chooseSettings({ ...wishes, preset: "memagent" }, local(8192, 135e6));
    const { chunkTokens, memoryTokens, finalTokens } = settings.config;
    expect([memoryTokens, finalTokens]).toEqual([128, 256]);
    expect(chunkTokens).toBeGreaterThan(1000);
    expect(chunkTokens + 2 * memoryTokens).toBeLessThan(2048);
    expect(notes).toEqual([
      `reduced for a context of 8192 tokens: chunkTokens=${chunkTokens} memoryTokens=128 finalTokens=256 (--set replaces them)`,
    ]);
  });

  it("leaves room for a third memory where an earlier one is recalled", () => {
    const of = (agent: "memagent" | "rememr1") =>
      chooseSettings({ ...wishes, agent, set: { memoryTokens: 256 } }, local(4096, 4e9)).settings.config;
    expect(of("memagent").chunkTokens - of("rememr1").chunkTokens).toBeGreaterThanOrEqual(256);
  });

  it("counts with care where tokens are guessed, and trusts the preset where a server says nothing", () => {
    const server = { tokenizer: chatting, trainable: false };
    const guessed = chooseSettings(wishes, { ...server, contextTokens: 8192 }).settings.config;
    expect(guessed.chunkTokens + 2 * guessed.memoryTokens).toBeLessThan(0.7 * 8192);
    const silent = chooseSettings(wishes, server);
    expect(silent.settings.config.chunkTokens).toBe(5000);
    expect(silent.notes).toEqual([
      expect.stringMatching(/does not report the context length .*sections have 5000 tokens/),
    ]);
  });

  it("takes what a person says, and refuses what cannot fit with the number that can", () => {
    const set = { chunkTokens: 700, memoryTokens: 50 };
    expect(chooseSettings({ ...wishes, set }, local(4096, 135e6)).settings.config).toMatchObject(set);
    expect(() => chooseSettings({ ...wishes, set: { chunkTokens: 5000 } }, local(4096, 4e9))).toThrow(
      /chunkTokens: a section of 5000 tokens, a prompt .* exceed .* context of 4096 tokens; .* at most 3\d\d\d/,
    );
    expect(() => chooseSettings(wishes, local(256, 4e9))).toThrow(/model: a context of 256 tokens leaves/);
    expect(() => chooseSettings({ ...wishes, set: { chunkTokenz: 1 } }, local(4096, 4e9))).toThrow(
      /agent settings: memagent: unknown key "chunkTokenz"; did you mean "chunkTokens"\?$/,
    );
    expect(() => chooseSettings({ ...wishes, preset: "mem" }, local(4096, 4e9))).toThrow(
      /agent settings: .*preset/,
    );
  });

  it("prompts a model without any chat as the small ones of this project are", () => {
    const plain = { ...local(64, 1e5), tokenizer: wordTokenizer() };
    expect(chooseSettings(wishes, plain)).toMatchObject({
      settings: { preset: "tiny", config: { chunkTokens: 16 } },
      notes: [],
    });
  });
});

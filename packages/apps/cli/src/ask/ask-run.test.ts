import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineAgent, type ReadingAgentSettings, readingAgentSettingsSchema, z } from "@palimpsest/agents";
import { scriptedSampler } from "@palimpsest/agents/testing";
import { EndpointTokenizer } from "@palimpsest/engines";
import { traceSchema } from "@palimpsest/evals";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { type AskOptions, ask } from "./ask-run.js";
import { moduleSettings } from "./ask-settings.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const settingsOf = (kind: "memagent" | "rememr1", set: object = {}): ReadingAgentSettings =>
  readingAgentSettingsSchema.parse({ kind, preset: kind, settings: { chunkTokens: 40, ...set } });

/** A model whose memory tells of every section that it has read, by the section's first word. */
function aModel() {
  const tokenizer = new EndpointTokenizer();
  const stop = new AbortController();
  let left = Number.POSITIVE_INFINITY;
  const reply = (prompt: string) => {
    if (left-- <= 0) stop.abort(new Error("stopped"));
    const inside = (tag: string) => new RegExp(`<${tag}>\n([\\s\\S]*?)\n</${tag}>`).exec(prompt)?.[1] ?? "";
    const memory = `${inside("memory")} ${inside("section").trim().split(" ")[0]}`;
    if (!prompt.includes("<section>")) return `\\boxed{${inside("memory").trim()}}`;
    return prompt.includes("<update>") ? `<update>${memory}</update><recall>1</recall>` : memory;
  };
  return {
    model: {
      name: "script",
      sampler: scriptedSampler({ tokenizer, reply }),
      tokenizer,
      chat: tokenizer.chat,
      trainable: false,
      close: async () => undefined,
    },
    signal: stop.signal,
    stopAfter: (calls: number) => {
      left = calls;
    },
  };
}

const text = Array.from({ length: 400 }, (_, i) => `word${i}`).join(" ");
function options(over: Partial<AskOptions> = {}): AskOptions & { stopAfter(calls: number): void } {
  const { model, signal, stopAfter } = aModel();
  return {
    question: "who?",
    text,
    document: "a.txt",
    settings: settingsOf("memagent"),
    temperature: 0,
    seed: 1,
    model,
    signal,
    stopAfter,
    ...over,
  };
}

describe("ask", () => {
  it("names the flag that fixes what the model cannot read", async () => {
    const { model, ...others } = options();
    const failing = (problem: string): AskOptions => ({
      ...others,
      model: {
        ...model,
        tokenizer: Object.assign(Object.create(model.tokenizer), {
          encode: (given: string) => {
            if (given === text) throw new Error(problem);
            return model.tokenizer.encode(given);
          },
        }),
      },
    });
    const outside = (sign: string) =>
      failing(`${JSON.stringify(sign)} is outside the alphabet of it; leave it out`);
    await expect(ask(outside("?"))).rejects.toThrow(/--question: "\?" is a sign that the model/);
    await expect(ask(outside("d0"))).rejects.toThrow(
      /a\.txt: "d0" is a sign .*; leave it out, or ask another --model/,
    );
    const short = "generate: prompt + maxTokens is 65 + 8; the sampler's maxLength is 10; shorten the prompt";
    await expect(ask(failing(short))).rejects.toThrow(
      /--context: 10 tokens are too few for a prompt of 65 and a reply of up to 8; give at least 73/,
    );
  });

  it("runs a module's agent as the run was trained to", async () => {
    const module = defineAgent({
      kind: "first-words",
      settings: z.strictObject({ words: z.int() }),
      run: async ({ document, question }, episode, { words }) => {
        if (typeof document !== "string") throw new Error("ask gives the whole text");
        const said = document.split(" ", words).join(" ");
        const reply = await episode.ask(`<section>\n${said}\n</section> ${question}`, {
          maxTokens: 40,
          kind: "final",
        });
        return { answer: reply.text };
      },
    });
    const trained = { kind: "module" as const, module: "modules/0.mjs", preset: "", config: { words: 1 } };
    const chosen = moduleSettings({ trained, set: { words: 2, temperature: 0 } });
    const { result, trace } = await ask(options({ settings: chosen?.settings ?? trained, module }));
    expect(result.answer.trim()).toBe("word0");
    expect([trace.agent, trace.conversations.length]).toEqual(["first-words", 1]);
    expect(moduleSettings({ trained, set: {}, agent: "memagent" })).toBeUndefined();
    await expect(ask(options({ settings: trained }))).rejects.toThrow(/the agent's module was not loaded/);
  });

  it("answers from the memory, tells every step, and gives a trace of the whole way", async () => {
    const steps: number[] = [];
    const { result, trace, documentTokens } = await ask({
      ...options(),
      onStep: ({ documentTokensRead }) => steps.push(documentTokensRead),
    });
    expect(steps.at(-1)).toBe(documentTokens);
    expect(steps).toHaveLength(Math.ceil(documentTokens / 40) + 1);
    expect(result.answer).toMatch(/^\\boxed\{No previous memory word0 /);
    expect(traceSchema.parse(trace)).toEqual(trace);
    expect(trace.memorySteps.map(({ section }) => section).join("")).toBe(text);
    expect(trace.conversations.at(-1)).toMatchObject({
      kind: "final",
      sampled: expect.stringContaining("boxed"),
    });
  });

  for (const kind of ["memagent", "rememr1"] as const) {
    it(`${kind} goes on from the place that a stopped run kept, to the same answer and the same trace`, async () => {
      const settings = settingsOf(kind);
      const whole = await ask(options({ settings }));
      const stateFile = join(folder, "state.json");
      const first = options({ settings, stateFile });
      first.stopAfter(7);
      await expect(ask(first)).rejects.toThrow("stopped");
      expect(existsSync(stateFile)).toBe(true);
      const read: number[] = [];
      const rest = await ask({
        ...options({ settings, stateFile }),
        onStep: ({ step }) => read.push(step),
      });
      expect(read[0]).toBe(7);
      expect(rest.resumedAtToken).toBe(280);
      expect(rest.result.answer).toBe(whole.result.answer);
      expect(rest.result.counts).toEqual(whole.result.counts);
      const timeless = ({ trace }: typeof rest) => ({
        steps: trace.memorySteps,
        conversations: trace.conversations.map(({ seconds: _, ...more }) => more),
      });
      expect(timeless(rest)).toEqual(timeless(whole));
    });
  }

  it("refuses a state of something else and says what differs", async () => {
    const stateFile = join(folder, "state.json");
    const first = options({ stateFile });
    first.stopAfter(3);
    await expect(ask(first)).rejects.toThrow("stopped");
    await expect(ask(options({ stateFile, question: "when?", seed: 2 }))).rejects.toThrow(
      /--resume .*state\.json: was saved with another question, another seed; repeat the values of the first run/,
    );
    await expect(ask(options({ stateFile, settings: settingsOf("rememr1") }))).rejects.toThrow(
      /another agent or setting/,
    );
    await expect(ask(options({ stateFile, text: `${text} more` }))).rejects.toThrow(/another document/);
    writeFileSync(stateFile, "{}");
    await expect(ask(options({ stateFile }))).rejects.toThrow(
      /contains no saved position of `palimpsest ask`/,
    );
    expect(readFileSync(stateFile, "utf8")).toBe("{}");
  });

  it("does not begin where the place cannot be kept", async () => {
    const asking = options({ stateFile: join(folder, "no-such-folder", "state.json") });
    await expect(ask(asking)).rejects.toThrow(
      /--resume .*state\.json: cannot be written \(it does not exist: ENOENT.*name another file/,
    );
  });

  it("keeps the place when the model fails", async () => {
    const stateFile = join(folder, "state.json");
    const failing = options({ stateFile });
    let calls = 0;
    const { sampler } = failing.model;
    const model = {
      ...failing.model,
      sampler: {
        generate: async (...request: Parameters<typeof sampler.generate>) => {
          if (calls++ === 5)
            throw new Error(
              "[REFUSED] /v1/chat/completions: 400 maximum context length exceeded; ask for fewer tokens at once, such as by a smaller chunkTokens, or let the server take more of them",
            );
          return await sampler.generate(...request);
        },
      },
    };
    await expect(ask({ ...failing, model })).rejects.toThrow(
      /maximum context length(?:(?!chunkTokens).)*a smaller --set chunkTokens=…(?:(?!chunkTokens).)*$/,
    );
    const { resumedAtToken } = await ask(options({ stateFile }));
    expect(resumedAtToken).toBe(200);
  });
});

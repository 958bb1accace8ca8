import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  BpeTokenizer,
  ChatTemplate,
  hashWeights,
  initParameters,
  loadModel,
  saveModel,
  trainBpe,
} from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { type DemonstrationSettings, demonstrationSettingsSchema } from "../recipe/demonstration-settings.js";
import { readDemonstrations } from "./demonstration-file.js";
import { dealtRows, demonstrationRows } from "./demonstration-rows.js";
import { isSupervised, type SupervisedProgress, superviseModel } from "./supervised-start.js";
import { askTeacher } from "./teacher.js";

const folder = fileFolder();
const modelFolder = join(folder, "model");

const { signal } = new AbortController();
const plain = trainBpe(["what likes ben? ben likes bats. what likes ken? ken likes hats."], {
  vocabSize: 300,
  specialTokens: ["<|im_start|>", "<|im_end|>"],
  alphabet: "bytes",
});
const tokenizer = new BpeTokenizer(plain.json, {
  ...plain.configJson,
  eos_token: "<|im_end|>",
  chat_template:
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
});
const ends = ["<|im_end|>"];
const config = smallConfig({ vocabSize: tokenizer.vocabSize, layers: 1, maxPositions: 128 });
beforeAll(async () => {
  await saveModel(modelFolder, { config, tokenizer, parameters: initParameters(config, 1) });
});

let file = "";
let number = 0;
beforeEach(() => {
  file = join(folder, `${++number}.jsonl`);
});
const write = (...lines: object[]) =>
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const settingsOf = (more: Partial<DemonstrationSettings> = {}) => ({
  ...demonstrationSettingsSchema.parse({ demonstrations: file, maxTokens: 64 }),
  ...more,
});

describe("demonstrations", () => {
  test("are learned from the answer to the end of the turn, every turn of the assistant with all before it", async () => {
    write(
      { prompt: "what likes ben?", completion: "bats." },
      {
        messages: [
          { role: "system", content: "be short" },
          { role: "user", content: "what likes ben?" },
          { role: "assistant", content: "bats." },
          { role: "user", content: "and ken?" },
          { role: "assistant", content: "hats.<|im_end|>" },
        ],
      },
      { skipped: "no complete answer within 8 tokens", prompt: "x" },
    );
    const { demonstrations } = await readDemonstrations(file, signal);
    const { rows, templated } = demonstrationRows(
      demonstrations,
      tokenizer,
      settingsOf({ maxTokens: 128 }),
      ends,
    );
    expect(templated).toBe(true);
    const texts = rows.map(({ tokenIds, lossMask }) => {
      const of = (learned: number) =>
        tokenizer.decode(Array.from(tokenIds).filter((_, at) => lossMask[at] === learned));
      return [of(0), of(1)];
    });
    const asked = "<|im_start|>user\nwhat likes ben?<|im_end|>\n";
    const turn = "<|im_start|>assistant\n";
    const system = "<|im_start|>system\nbe short<|im_end|>\n";
    expect(texts).toEqual([
      [`${asked}${turn}`, "bats.<|im_end|>"],
      [`${system}${asked}${turn}`, "bats.<|im_end|>"],
      [
        `${system}${asked}${turn}bats.<|im_end|>\n<|im_start|>user\nand ken?<|im_end|>\n${turn}`,
        "hats.<|im_end|><|im_end|>",
      ],
    ]);
    // The end that the answer spells out is letters; the one that ends the turn is the token.
    const end = tokenizer.specialTokenId("<|im_end|>");
    expect(
      Array.from(rows[2]?.tokenIds ?? [])
        .slice(-12)
        .filter((id) => id === end),
    ).toHaveLength(1);
  });

  test("are asked as agents ask, and end as the template ends a turn", () => {
    // As Qwen3's: a model that is not to think gets an empty thought, before its answer and in the history alike.
    const thinking =
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}<think></think>{% endif %}{{ m.content | trim }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% if not (enable_thinking | default(true)) %}<think></think>{% endif %}{% endif %}";
    const thinker = new BpeTokenizer(plain.json, { chat_template: thinking, eos_token: "<|im_start|>" });
    const told = [{ line: 3, prompt: "what?", completion: " bats." }];
    const { rows } = demonstrationRows(told, thinker, settingsOf(), ["<|im_start|>", "<|im_end|>"]);
    const learned = Array.from(rows[0]?.tokenIds ?? []).filter((_, at) => rows[0]?.lossMask[at] === 1);
    expect(thinker.decode(learned)).toBe(" bats.<|im_end|>");
    const chat = new ChatTemplate(thinker);
    const asked = chat.encode([{ role: "user", content: "what?" }], { enableThinking: false });
    expect(Array.from(rows[0]?.tokenIds ?? []).slice(0, asked.length)).toEqual(asked);
    expect(() => demonstrationRows(told, thinker, settingsOf({ enableThinking: true }), ends)).toThrow(
      /line 3 is asked as .*assistant\\n", but .*<think><\/think>bats.*set enableThinking/,
    );
    expect(() => demonstrationRows(told, thinker, settingsOf(), ["<|im_start|>"])).toThrow(
      /line 3 ends with "<\|im_end\|>\\n" in the chat template, but replies end at <\|im_start\|>; add/,
    );
  });

  test("that are wrong are named by file and line", async () => {
    const refused = async (line: object) => {
      write({ prompt: "a", completion: "b" }, line);
      return await readDemonstrations(file, signal).then(String, String);
    };
    const neither = /CONFIG_INVALID.*jsonl:2: is neither/;
    expect(await refused({ question: "a" })).toMatch(neither);
    expect(await refused({ prompt: "a", completion: "" })).toMatch(neither);
    expect(
      await refused({
        messages: [
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
      }),
    ).toMatch(/no message of the assistant/);
    const called = { role: "assistant", content: "", tool_calls: [{ id: "1" }] };
    expect(await refused({ messages: [{ role: "user", content: "a" }, called] })).toMatch(
      /tool_calls: is set/,
    );
    await expect(readDemonstrations(join(folder, "nowhere.jsonl"), signal)).rejects.toThrow(/cannot be read/);
    const long = [{ line: 7, prompt: "what likes ben? ".repeat(20), completion: "bats." }];
    expect(() => demonstrationRows(long, tokenizer, settingsOf(), ends)).toThrow(
      /line 7 has \d+ tokens, but maxTokens is 64/,
    );
    const both = [...long, { line: 8, prompt: "what likes ken?", completion: "hats." }];
    expect(demonstrationRows(both, tokenizer, settingsOf({ tooLong: "skip" }), ends)).toMatchObject({
      rows: { length: 1 },
      skipped: 1,
    });
    const told = [{ line: 1, prompt: [{ role: "user" as const, content: "a" }], completion: "b" }];
    expect(() => demonstrationRows(told, plain, settingsOf(), ends)).toThrow(/no chat template/);
  });

  test("come once in each pass, passes one behind the other", () => {
    const dealt = dealtRows(["a", "b", "c"], (pass) => (pass === 0 ? [2, 0, 1] : [1, 2, 0]), {
      epochs: 2,
      batch: 4,
    });
    expect(dealt.steps).toBe(2);
    expect([dealt.at(0), dealt.at(1)]).toEqual([
      ["c", "a", "b", "b"],
      ["c", "a"],
    ]);
  });
});

describe("a model", () => {
  const lines = ["bats", "cats", "hats", "mats"].map((value) => ({
    prompt: `what likes ${value}?`,
    completion: `ben likes ${value}.`,
  }));
  const settings = () =>
    settingsOf({ epochs: 5, batch: 4, learningRate: 0.02, checkpointEverySteps: 2, microBatchTokens: 256 });

  test("learns demonstrations, and goes on where it was interrupted, to the same weights", async () => {
    write(...lines);
    const losses: number[] = [];
    const run = (outDir: string, onProgress: (progress: SupervisedProgress) => void, stop = signal) =>
      superviseModel({ modelFolder, settings: settings(), outDir, threads: 1, signal: stop, onProgress });
    const straight = await run(join(folder, "straight"), ({ loss }) => losses.push(loss));
    expect(straight).toMatchObject({ rows: 4, skipped: 0, templated: true, steps: 5 });
    expect(losses).toHaveLength(5);
    expect(losses[4]).toBeLessThan((losses[0] ?? 0) * 0.9);
    const { parameters } = await loadModel(join(folder, "straight"));
    expect(hashWeights(parameters)).toBe(straight.weightsHash);

    const again = join(folder, "again");
    const stop = new AbortController();
    const seen: number[] = [];
    const stopped = run(
      again,
      ({ step }) => {
        seen.push(step);
        if (step === 3) stop.abort(new Error("planned"));
      },
      stop.signal,
    );
    await expect(stopped).rejects.toThrow("planned");
    expect(isSupervised(again)).toBe(false);
    const { weightsHash } = await run(again, ({ step }) => seen.push(step));
    expect(seen).toEqual([1, 2, 3, 3, 4, 5]);
    expect(weightsHash).toBe(straight.weightsHash);
    // Done is done, and other demonstrations do not replace it.
    expect(await run(again, () => expect.unreachable())).toMatchObject({ weightsHash });
    write(...lines.slice(1));
    await expect(run(again, () => undefined)).rejects.toThrow(/CONFIG_INVALID.*other demonstrations/);

    // A run's own folder needs neither demonstrations nor base model any more, and is looked at.
    rmSync(file);
    const own = () =>
      superviseModel({
        modelFolder: join(folder, "gone"),
        settings: settings(),
        outDir: again,
        ownFolder: true,
        signal,
        onProgress: () => expect.unreachable(),
      });
    expect(await own()).toMatchObject({ weightsHash, rows: 4 });
    await saveModel(again, { config, tokenizer, parameters: initParameters(config, 2) });
    writeFileSync(join(again, "supervised.json"), readFileSync(join(folder, "straight", "supervised.json")));
    await expect(own()).rejects.toThrow(/CONFIG_INVALID.*contains weights .*remove the folder/);
  });

  test("learns them by adapters, which are in its weights afterwards", async () => {
    write(...lines);
    const outDir = join(folder, "adapted");
    const lora = { rank: 2, alpha: 4 };
    const given = { ...settings(), lora: demonstrationSettingsSchema.shape.lora.parse(lora), epochs: 2 };
    const base = hashWeights((await loadModel(modelFolder)).parameters);
    const { weightsHash } = await superviseModel({
      modelFolder,
      settings: given,
      outDir,
      threads: 1,
      signal,
      onProgress: () => undefined,
    });
    expect(weightsHash).not.toBe(base);
    expect(hashWeights((await loadModel(outDir)).parameters)).toBe(weightsHash);
  });
});

test("a teacher's answers are kept, and asked for once, whatever interrupts", async () => {
  const asked: string[] = [];
  let broken = true;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      if (request.method === "GET") return response.end(JSON.stringify({ data: [{ id: "teacher" }] }));
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
        messages: { content: string }[];
      };
      const content = messages.at(-1)?.content ?? "";
      if (broken && content === "c") {
        response.statusCode = 400;
        return response.end("{}");
      }
      asked.push(content);
      const long = content === "b";
      return response.end(
        JSON.stringify({
          choices: [
            {
              finish_reason: long ? "length" : "stop",
              message: { role: "assistant", content: `${content}!` },
            },
          ],
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const prompts = join(folder, "prompts.jsonl");
  writeFileSync(prompts, '{"prompt":"a"}\n{"prompt":"b"}\n{"messages":[{"role":"user","content":"c"}]}\n');
  const run = () =>
    askTeacher({
      endpoint: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, maxAttempts: 1 },
      prompts,
      out: file,
      samples: 1,
      maxTokens: 8,
      temperature: 0,
      seed: 1,
      concurrency: 1,
      signal,
      onProgress: () => undefined,
    });
  try {
    await expect(run()).rejects.toThrow();
    writeFileSync(file, `${readFileSync(file, "utf8")}{"prompt":[{"ro`);
    broken = false;
    expect(await run()).toEqual({ asked: 1, kept: 2, cut: 0 });
    expect(asked).toEqual(["a", "b", "c"]);
    const { demonstrations } = await readDemonstrations(file, signal);
    expect(demonstrations.map(({ completion }) => completion)).toEqual(["a!", "c!"]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

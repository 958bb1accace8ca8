import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trainBpe } from "@palimpsest/model";
import { beforeAll, expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { decodeModelText, encodeModelText, openModelText, readModelText } from "./model-text.js";

const folder = fileFolder();
const tokenizer = trainBpe(["hello there, hello"], {
  vocabSize: 300,
  specialTokens: ["<|im_start|>", "<|im_end|>", "<|endoftext|>"],
  alphabet: "bytes",
});
const template =
  "{% for m in messages %}<|im_start|>{{ m.role }} {{ strftime_now('%Y') }}\n{{ m.content }}<|im_end|>{% endfor %}";

const write = (file: string, content: unknown) => writeFileSync(join(folder, file), JSON.stringify(content));

beforeAll(() => {
  write("tokenizer.json", tokenizer.json);
  write("tokenizer_config.json", { eos_token: "<|im_end|>" });
  write("generation_config.json", { eos_token_id: [tokenizer.specialTokenId("<|endoftext|>"), 999_999] });
  writeFileSync(join(folder, "chat_template.jinja"), template);
});

test("a folder's tokenizer, template and stop tokens travel as one object", async () => {
  const text = decodeModelText(encodeModelText(await readModelText(folder)));
  expect(text.stopTokens).toEqual(["<|im_end|>", "<|endoftext|>"]);
  const opened = openModelText(text, Date.UTC(2031, 5, 1));
  expect(opened.tokenizer.encode("hello")).toEqual(tokenizer.encode("hello"));
  expect(opened.chat?.stopTokens).toEqual(["<|im_end|>", "<|endoftext|>"]);
  expect(opened.chat?.specialTokens).toContain("<|im_start|>");
});

test("a chat template sees the day on which the run began, whatever the day is", async () => {
  const opened = openModelText(await readModelText(folder), Date.UTC(2031, 5, 1));
  expect(opened.chat?.render([{ role: "user", content: "hi" }], {})).toBe(
    "<|im_start|>user 2031\nhi<|im_end|>",
  );
});

test("a model without a template has no chat format; a damaged object is refused", async () => {
  const text = await readModelText(folder);
  const { chat_template: _, ...tokenizerConfig } = text.tokenizerConfig;
  expect(openModelText({ ...text, tokenizerConfig }, 0).chat).toBeUndefined();
  expect(() => decodeModelText(Buffer.from(readFileSync(join(folder, "tokenizer_config.json"))))).toThrow(
    /the object with the run's tokenizer is damaged/,
  );
});

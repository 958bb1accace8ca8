import type { ChatFormat } from "@palimpsest/agents";
import {
  BpeTokenizer,
  ChatTemplate,
  endTokens,
  loadGenerationConfig,
  loadTokenizer,
} from "@palimpsest/model";
import { parseInput } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

/** The text-related files of a model folder, as one object that every actor reads. */
const modelTextSchema = z.strictObject({
  /** Contents of tokenizer.json. */
  tokenizer: z.json(),
  /** Contents of tokenizer_config.json, including the chat template, wherever the folder has it. */
  tokenizerConfig: z.record(z.string(), z.json()),
  /** Tokens that end a reply, by text. */
  stopTokens: z.array(z.string()),
});
export type ModelText = z.infer<typeof modelTextSchema>;

/** @throws {ModelError} FILE_MISSING, FILE_DAMAGED, TOKENIZER_INVALID */
export async function readModelText(folder: string): Promise<ModelText> {
  const tokenizer = await loadTokenizer(folder);
  return modelTextSchema.parse({
    tokenizer: tokenizer.json,
    tokenizerConfig: tokenizer.configJson,
    stopTokens: endTokens(tokenizer, await loadGenerationConfig(folder)),
  });
}

export function encodeModelText(text: ModelText): Uint8Array {
  return Buffer.from(JSON.stringify(text));
}

/** @throws {PalimpsestError} CODEC */
export function decodeModelText(bytes: Uint8Array): ModelText {
  return parseInput(
    modelTextSchema,
    JSON.parse(Buffer.from(bytes).toString("utf8")),
    (problem) => new PalimpsestError("CODEC", `the object with the run's tokenizer is damaged: ${problem}`),
  );
}

/**
 * @param startedAtMs the date that chat templates see: the same for the whole run, so that prompts do not change from day to day
 */
export function openModelText(
  { tokenizer: json, tokenizerConfig, stopTokens }: ModelText,
  startedAtMs: number,
): { readonly tokenizer: BpeTokenizer; readonly chat?: ChatFormat } {
  const tokenizer = new BpeTokenizer(json, tokenizerConfig);
  if (!ChatTemplate.has(tokenizer) || stopTokens.length === 0) return { tokenizer };
  const template = new ChatTemplate(tokenizer, { now: () => new Date(startedAtMs) });
  const chat: ChatFormat = {
    render: (turns, options) => template.render(turns, options),
    specialTokens: template.specialTokens,
    stopTokens,
  };
  return { tokenizer, chat };
}

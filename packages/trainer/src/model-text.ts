import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChatFormat } from "@palimpsest/agents";
import { BpeTokenizer, ChatTemplate, loadTokenizer } from "@palimpsest/model";
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

const endTokensSchema = z.object({
  eos_token_id: z.union([z.int(), z.array(z.int())]).nullish(),
});

/** @throws {ModelError} FILE_MISSING, FILE_DAMAGED, TOKENIZER_INVALID */
export async function readModelText(folder: string): Promise<ModelText> {
  const tokenizer = await loadTokenizer(folder);
  const ids = new Set<number>();
  for (const file of ["generation_config.json", "config.json"]) {
    for (const id of await endTokensOf(join(folder, file))) ids.add(id);
  }
  const named = tokenizer.endToken;
  const texts = [...ids].filter((id) => id < tokenizer.vocabSize).map((id) => tokenizer.decode([id]));
  const known = [...new Set([...(named === undefined ? [] : [named]), ...texts])];
  return modelTextSchema.parse({
    tokenizer: tokenizer.json,
    tokenizerConfig: tokenizer.configJson,
    stopTokens: known.filter((text) => tokenizer.specialTokenId(text) !== undefined),
  });
}

async function endTokensOf(path: string): Promise<readonly number[]> {
  if (!existsSync(path)) return [];
  const parsed = endTokensSchema.safeParse(JSON.parse(await readFile(path, "utf8")));
  const ids = parsed.success ? parsed.data.eos_token_id : undefined;
  return typeof ids === "number" ? [ids] : (ids ?? []);
}

export function encodeModelText(text: ModelText): Uint8Array {
  return Buffer.from(JSON.stringify(text));
}

/** @throws {PalimpsestError} CODEC */
export function decodeModelText(bytes: Uint8Array): ModelText {
  const parsed = modelTextSchema.safeParse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  if (parsed.success) return parsed.data;
  throw new PalimpsestError(
    "CODEC",
    `the object with the run's tokenizer is damaged: ${z.prettifyError(parsed.error)}`,
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

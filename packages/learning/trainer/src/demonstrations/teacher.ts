/**
 * Requests demonstrations from a teacher behind an endpoint: reads prompts, and writes a JSONL file of prompts and
 * answers. An existing file is continued, so that answers that it contains are not requested again.
 */

import { readFile } from "node:fs/promises";
import { ChatEndpoint, type EngineConfigInput } from "@palimpsest/engines";
import { inLanes } from "@palimpsest/std";
import { LineFile } from "@palimpsest/std/files";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

const promptLineSchema = z.union([
  z.object({ prompt: z.string().min(1) }).transform(({ prompt }) => [{ role: "user", content: prompt }]),
  z
    .object({ messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1) })
    .transform(({ messages }) => messages),
]);
const writtenLineSchema = z.object({ prompt: z.json(), sample: z.int().min(0) });

/** Which model answers which prompts, and where its answers are written as demonstrations. */
export interface AskTeacherOptions {
  readonly endpoint: EngineConfigInput;
  /** JSONL with `prompt` or `messages` in each line. */
  readonly prompts: string;
  /** The file of demonstrations. */
  readonly out: string;
  /** Number of answers per prompt. */
  readonly samples: number;
  /** Maximum length of one answer; a longer one is left out and counted. */
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

export interface AskedTeacher {
  readonly asked: number;
  /** Number of answers that were in the file before. */
  readonly kept: number;
  /** Number of answers of this call that `maxTokens` cut short. */
  readonly cut: number;
}

interface Question {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly sample: number;
  readonly seed: number;
}

/** @throws {PalimpsestError} CONFIG_INVALID naming file and line; {EngineError}; the signal's reason */
export async function askTeacher(options: AskTeacherOptions): Promise<AskedTeacher> {
  const { out, samples, seed, signal, onProgress } = options;
  const prompts = await readPrompts(options.prompts);
  const file = await LineFile.open(out);
  const written = await writtenAnswers(out);
  const questions = prompts.flatMap((messages, place) =>
    Array.from(
      { length: samples },
      (_, sample): Question => ({
        messages,
        sample,
        seed: (seed + place * samples + sample) % 2 ** 31,
      }),
    ),
  );
  const open = questions.filter(({ messages, sample }) => !written.has(keyOf(messages, sample)));
  const endpoint = new ChatEndpoint({ ...options.endpoint, maxConcurrency: options.concurrency });
  let [done, cut] = [questions.length - open.length, 0];
  onProgress(done, questions.length);
  const ask = async ({ messages, sample, seed: own }: Question, signal: AbortSignal): Promise<void> => {
    const { maxTokens, temperature } = options;
    const answer = await endpoint.generateText({ messages, maxTokens, temperature, seed: own, signal });
    const whole = answer.stopReason === "stop" && answer.text.trim() !== "";
    if (!whole) cut++;
    const said = whole
      ? { completion: answer.text }
      : { skipped: `no complete answer within ${maxTokens} tokens` };
    await file.append({ prompt: messages, sample, ...said });
    onProgress(++done, questions.length);
  };
  try {
    await inLanes(open, { lanes: options.concurrency, signal }, ask);
  } finally {
    await endpoint.close();
  }
  return { asked: open.length, kept: questions.length - open.length, cut };
}

async function readPrompts(path: string): Promise<readonly Question["messages"][]> {
  const refuse = (what: string, cause?: unknown) =>
    new PalimpsestError("CONFIG_INVALID", `prompts: ${path}${what}`, { cause });
  const text = await readFile(path, "utf8").catch((reason: unknown) => {
    throw refuse(
      ` cannot be read (${reasonText(reason)}); give a file with one JSON object per line`,
      reason,
    );
  });
  const prompts = text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const parsed = promptLineSchema.safeParse(json(line));
    if (parsed.success) return [parsed.data];
    throw refuse(`:${at + 1}: is neither { prompt } nor { messages: [{ role, content }, …] }`);
  });
  if (prompts.length === 0) throw refuse(" contains no prompt; give one JSON object per line");
  return prompts;
}

/** Returns the keys of the answers in the file. */
async function writtenAnswers(out: string): Promise<ReadonlySet<string>> {
  const keys = (await readFile(out, "utf8")).split("\n").flatMap((line) => {
    const parsed = writtenLineSchema.safeParse(json(line));
    return parsed.success ? [keyOf(parsed.data.prompt, parsed.data.sample)] : [];
  });
  return new Set(keys);
}

const keyOf = (prompt: unknown, sample: number) => `${sample} ${JSON.stringify(prompt)}`;

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

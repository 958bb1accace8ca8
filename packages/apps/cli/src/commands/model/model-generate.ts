import { text as readAll } from "node:stream/consumers";
import { type Command, InvalidArgumentError } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { parseWhole } from "../../input/key-values.js";
import { refuseToWait } from "../../input/no-input.js";
import { stopSignal } from "../../input/signals.js";
import { AnswerTiming, timesText } from "../../models/answer-timing.js";
import { modelArgument } from "../../models/model-input.js";
import {
  defaultModel,
  openTextSource,
  type SamplingFlags,
  type SourceFlags,
  type TextQuestion,
  type TextSource,
  withSamplingFlags,
  withSourceFlags,
} from "../../models/text-source.js";

interface GenerateFlags extends SamplingFlags, SourceFlags {
  readonly prompt?: string;
  readonly chat?: boolean;
  readonly system?: string;
  readonly n: number;
  readonly json?: boolean;
  readonly stats?: boolean;
}

const output = new JsonOutput(() =>
  z.strictObject({
    model: z.string(),
    prompt: z.string(),
    texts: z.array(
      z.strictObject({
        text: z.string(),
        stopReason: z.string(),
        promptTokens: z.int().optional(),
        sampledTokens: z.int().optional(),
        seed: z.int().optional(),
        tokenIds: z.array(z.int()).optional(),
        rolloutLogprobs: z.array(z.number()).optional(),
      }),
    ),
  }),
);

export function addModelGenerate(model: Command): void {
  const command = model
    .command("generate")
    .description("continues a text, or answers it with --chat")
    .argument("[model]", modelArgument, defaultModel)
    .option("--prompt <text>", "the text; default: standard input")
    .option("--chat", "treats the text as a user's message in the model's chat template")
    .option("--system <text>", "with --chat: system prompt")
    .option("--n <count>", "number of texts, which are sampled together", parseCount, 1)
    .option("--stats", "prints times and tokens/s on standard error at the end")
    .addOption(
      output.option("as JSON: texts, and token ids and log-probs if the model runs in this process"),
    );
  withSourceFlags(withSamplingFlags(command)).action(async (name: string, flags: GenerateFlags) => {
    if (flags.prompt === undefined) refuseToWait("give --prompt TEXT");
    const prompt = flags.prompt ?? (await readAll(process.stdin));
    const signal = stopSignal();
    const source = await openTextSource(name, flags, { parallel: flags.n });
    const timing = new AnswerTiming();
    try {
      const sampledTokens = flags.json
        ? await generateJson(source, questions(prompt, flags, signal), prompt)
        : await generateTexts(source, questions(prompt, flags, signal), timing);
      if (flags.stats) process.stderr.write(`${timesText(timing.end(sampledTokens))}\n`);
    } finally {
      await source.close();
    }
  });
}

function parseCount(text: string): number {
  const count = parseWhole(text);
  if (count < 1) throw new InvalidArgumentError(`"${text}" is not a whole number ≥ 1`);
  return count;
}

function questions(prompt: string, flags: GenerateFlags, signal: AbortSignal): TextQuestion[] {
  const { chat, system, n, seed } = flags;
  const messages = [
    ...(system === undefined ? [] : [{ role: "system", content: system }]),
    { role: "user", content: prompt },
  ];
  return Array.from({ length: n }, (_, i) => ({
    ...(chat ? { messages } : { prompt }),
    ...(seed === undefined ? {} : { seed: seed + i }),
    signal,
  }));
}

/** Writes a single text while it is sampled. Several texts are written one after another when all are done. */
async function generateTexts(
  source: TextSource,
  asked: readonly TextQuestion[],
  timing: AnswerTiming,
): Promise<number | undefined> {
  const answers = asked.map((question) => source.ask(question));
  const [only] = answers;
  if (only !== undefined && answers.length === 1) {
    for await (const piece of only) {
      timing.piece();
      process.stdout.write(piece);
    }
    process.stdout.write("\n");
  }
  const results = await Promise.all(answers.map(({ result }) => result));
  if (answers.length > 1) {
    process.stdout.write(results.map(({ text }, i) => `--- ${i + 1}\n${text}\n`).join(""));
  }
  return total(results.map(({ usage }) => usage.sampledTokens));
}

async function generateJson(
  source: TextSource,
  asked: readonly TextQuestion[],
  prompt: string,
): Promise<number | undefined> {
  const results = await Promise.all(asked.map((question) => source.ask(question).result));
  const texts = results.map(({ text, stopReason, usage, tokenIds, rolloutLogprobs }, i) => ({
    text,
    stopReason,
    ...usage,
    seed: asked[i]?.seed,
    tokenIds,
    rolloutLogprobs,
  }));
  output.print({ model: source.name, prompt, texts });
  return total(results.map(({ usage }) => usage.sampledTokens));
}

const total = (counts: readonly (number | undefined)[]) =>
  counts.some((count) => count === undefined)
    ? undefined
    : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);

import { extname } from "node:path";
import { parseYaml, withPromptFiles } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { z } from "zod";
import type { AskResult } from "../../ask/ask-run.js";
import type { AskScreen } from "../../ask/ask-screen.js";
import { counted } from "../../display/count.js";
import { formatSeconds } from "../../display/duration.js";
import { JsonOutput, openObject } from "../../display/json-output.js";
import type { ReadText } from "../../documents/read-documents.js";
import { refuseIgnored } from "../../input/endpoint-flags.js";
import { parseAmount, parseCount, parsePositive, parseWhole } from "../../input/key-values.js";
import { stopSignal } from "../../input/signals.js";
import type { AgentModel } from "../../models/agent-model.js";
import { type BackendChoice, backendOption } from "../../models/backend-option.js";
import { withIgnoreConfig } from "../../models/model-input.js";
import { shippedAgentName } from "../../models/shipped-agent-name.js";
import { type SingleWeights, singleWeightsOption } from "../../models/single-weights.js";

interface AskFlags {
  readonly question: string;
  readonly agent?: string;
  readonly preset?: string;
  readonly set: readonly string[];
  readonly model?: string;
  readonly endpoint?: string;
  readonly tokenizer?: string;
  readonly ignoreConfig?: readonly string[];
  readonly backend: BackendChoice;
  readonly context?: number;
  readonly singleWeights: SingleWeights;
  readonly temperature?: number;
  readonly seed: number;
  readonly attempts?: number;
  readonly timeout?: number;
  readonly maxSize: number;
  readonly encoding?: string;
  readonly resume?: string;
  readonly trace?: string;
  readonly json?: boolean;
}

interface RetryNote {
  readonly attempt: number;
  readonly code: string;
  readonly message: string;
}

const examples = `
Examples:
  palimpsest ask report.pdf -q "Who signed the second contract?" --trace steps.html
  palimpsest ask docs/ -q "Which setting bounds the queue?" --endpoint http://127.0.0.1:8000
  cat notes.txt | palimpsest ask -q "What was decided?" --agent rememr1 --json

The answer goes to standard output, all else to standard error. Where no model of \`palimpsest model list\` was downloaded,
a model of 135 million parameters answers, trained to keep a memory of 32 tokens: briefly, and often wrongly. Use a larger
one (--model, --endpoint) when the answer matters.`;

const count = z.int();
const output = new JsonOutput(() =>
  z.strictObject({
    question: z.string(),
    answer: z.string(),
    boxed: z.string().nullable().describe("the answer that stands in a box"),
    places: z.array(
      z.strictObject({
        start: count,
        end: count,
        line: count,
        text: z.string(),
        hasAnswer: z.boolean(),
      }),
    ),
    memory: z.string(),
    model: z.string(),
    agent: z.strictObject({
      kind: z.string(),
      preset: z.string(),
      module: z.string().optional(),
      config: openObject("its settings"),
    }),
    document: z.strictObject({
      sources: z.array(z.string()),
      skipped: z.array(z.string()),
      remarks: z.array(z.string()),
      characters: count,
      tokens: count,
      droppedTokens: count,
    }),
    counts: z.strictObject({
      conversations: count,
      promptTokens: count,
      sampledTokens: count,
      truncated: count,
      emptyUpdates: count,
    }),
    counters: z.record(z.string(), z.number()).optional(),
    seconds: z.number(),
    resumedAtToken: count,
    retries: z.array(z.strictObject({ attempt: count, code: z.string(), message: z.string() })),
    trace: z.string().nullable(),
  }),
);

export function addAsk(program: Command): void {
  withIgnoreConfig(program.command("ask"))
    .description("answers a question about documents of any length with a memory agent")
    .argument(
      "[source]",
      "file or folder of text, Markdown, HTML, PDF, DOCX, EPUB, notebooks or mail; - for standard input",
      "-",
    )
    .requiredOption("-q, --question <text>", "the question")
    .addOption(
      new Option(
        "--agent <name>",
        "kind of agent: memagent, or rememr1, which can look back at earlier memories; default: the agent that the run trained, else memagent",
      ).choices(["memagent", "rememr1"]),
    )
    .option(
      "--preset <name>",
      "initial settings of the agent, such as memagent or small; default: those of the run that trained the model, or those that suit its size",
    )
    .option("--set <name=value...>", "replaces settings, such as chunkTokens=2048 memoryTokens=256", [])
    .option(
      "--model <name>",
      `folder, file, run, known name or hub id; default: the best of \`palimpsest model list\` that is on this machine and fits into its memory, else ${shippedAgentName}, the trained agent of the installation, which reads English; with --endpoint the server's name for it, default: the first that it lists`,
    )
    .option("--endpoint <url>", "URL of an OpenAI-compatible server; its key comes from OPENAI_API_KEY")
    .option("--tokenizer <name>", "with --endpoint: the model whose tokenizer counts and truncates texts")
    .addOption(backendOption())
    .option(
      "--context <n>",
      "maximum tokens of prompt and reply of a local model; default: at most 4096",
      parseCount,
    )
    .addOption(singleWeightsOption())
    .option(
      "--temperature <t>",
      "0 is greedy, and the default if the server accepts a temperature",
      parseAmount,
    )
    .option(
      "--seed <n>",
      "seed of sampling: the same seed gives the same answer if the model supports it",
      parseWhole,
      0,
    )
    .option(
      "--attempts <n>",
      "with --endpoint: attempts per request, including the first; default 6",
      parseCount,
    )
    .option("--timeout <seconds>", "with --endpoint: deadline of one attempt; default 240", parsePositive)
    .option("--max-size <MiB>", "maximum total size of all files", parsePositive, 64)
    .option(
      "--encoding <name>",
      "encoding of documents that are not marked as Unicode, such as shift_jis; default: what they declare, UTF-8, or a guess",
    )
    .option("--resume <file>", "saves the position to this file, and resumes from it if it exists")
    .option("--trace <file>", "writes every step: .html for a browser, .jsonl appends a line to a trace file")
    .addOption(output.option("prints answer, memory, counts and retries as JSON"))
    .addHelpText("after", examples)
    .action(run);
}

async function run(sourceGiven: string, flags: AskFlags): Promise<void> {
  const { temperature } = flags;
  const { source, set } = documentAfterSettings(sourceGiven, flags.set);
  const given = parseSet(set);
  refuseIgnored(flags);
  const settings = {
    temperature: 0,
    ...given,
    ...(temperature === undefined ? {} : { temperature }),
  };
  checkTrace(flags.trace);
  if (!/[\p{L}\p{N}\p{S}\p{P}]/u.test(flags.question)) {
    throw new PalimpsestError("INVALID_ARGUMENT", "--question: is empty; ask something");
  }
  if (source === "-" && process.stdin.isTTY) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      "source: is missing; give a file or a folder, or - to read standard input",
    );
  }
  const { readDocuments } = await import("../../documents/read-documents.js");
  const document = await readDocuments(source, {
    mostBytes: flags.maxSize * 2 ** 20,
    encoding: flags.encoding,
  });
  const { openAskScreen } = await import("../../ask/ask-screen.js");
  const { ask } = await import("../../ask/ask-run.js");
  const { checkWishes, chooseSettings, moduleSettings } = await import("../../ask/ask-settings.js");
  const { askedModel } = await import("../../ask/asked-model.js");
  const { model: name, trained, module, note: choice } = await askedModel(flags);
  if (choice !== undefined) process.stderr.write(`${choice}\n`);
  const { agent, preset, question } = flags;
  const wishes = { agent, preset, set: settings, question, trained };
  checkWishes(wishes);
  const retries: RetryNote[] = [];
  const signal = stopSignal();
  let screen: AskScreen | undefined;
  let place = { read: 0, total: 0 };
  const note = (text: string) => (screen ? screen.note(text) : process.stderr.write(`${text}\n`));
  const asked = {
    enableThinking: "enableThinking" in settings && settings.enableThinking === true,
    asksTemperature: temperature !== undefined || "temperature" in given,
  };
  const model = await openModel(
    { ...flags, model: name, chosen: choice !== undefined },
    asked,
    signal,
    ({ note: text, ...retry }) => {
      retries.push(retry);
      note(text);
    },
  );
  try {
    for (const reason of document.skipped) note(`skipped ${reason}`);
    for (const remark of document.remarks) note(remark);
    const chosen = moduleSettings(wishes) ?? chooseSettings(wishes, model);
    note(`${model.name}, ${chosen.settings.kind}`);
    for (const text of chosen.notes) note(text);
    screen = openAskScreen(process.stderr);
    const live = screen;
    const answer = await ask({
      question,
      text: document.text,
      document: source === "-" ? "standard input" : source,
      model,
      settings: chosen.settings,
      module,
      temperature:
        chosen.settings.kind === "module" ? temperatureOf(settings) : chosen.settings.config.temperature,
      seed: flags.seed,
      stateFile: flags.resume,
      signal,
      onStart: (start) => {
        place = { read: start.documentTokensRead, total: start.documentTokens };
        live.start(start);
      },
      onStep: (step) => {
        place = { ...place, read: step.documentTokensRead };
        live.step(step);
      },
    });
    screen.close();
    screen = undefined;
    await finish(flags, { answer, document, model, retries, settings: chosen.settings });
  } catch (reason) {
    screen?.close();
    screen = undefined;
    if (!signal.aborted) throw reason;
    process.stderr.write(`${stoppedText(place, flags.resume)}\n`);
    process.exitCode = 130;
  } finally {
    await model.close();
  }
}

async function openModel(
  {
    endpoint,
    model,
    tokenizer,
    ignoreConfig,
    backend,
    context,
    singleWeights,
    attempts,
    timeout,
    chosen,
  }: Omit<AskFlags, "model"> & { readonly model: string | undefined; readonly chosen: boolean },
  { enableThinking, asksTemperature }: { enableThinking: boolean; asksTemperature: boolean },
  signal: AbortSignal,
  onRetry: (retry: RetryNote & { readonly note: string }) => void,
): Promise<AgentModel> {
  const { deadlineOf, leftOutNote, openAgentModel } = await import("../../models/agent-model.js");
  const deadline = deadlineOf(timeout);
  return await openAgentModel({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(model === undefined ? {} : { model }),
    ...(tokenizer === undefined ? {} : { tokenizer }),
    ...(context === undefined ? {} : { maxLength: context }),
    singleWeights,
    prefersInt8: chosen,
    ignoreConfig,
    backend,
    parallel: 1,
    engine: {
      enableThinking,
      // If the user has not set a temperature, a server that accepts none may use its own.
      temperature: asksTemperature ? "required" : "preferred",
      ...(attempts === undefined ? {} : { maxAttempts: attempts, malformedAttempts: attempts }),
      ...deadline,
      names: { ...deadline.names, maxAttempts: "--attempts", temperature: "--temperature" },
    },
    signal,
    onRetry: (retry) => {
      const { attempt, reason, waitMs } = retry;
      const leftOut = leftOutNote(retry);
      onRetry({
        attempt,
        code: reason.code,
        message: reason.message,
        note:
          leftOut ??
          `retrying ${waitMs < 500 ? "at once" : `in ${formatSeconds(waitMs / 1000)}`}: attempt ${attempt} failed: ${reason.message}`,
      });
    },
  });
}

/** Returns the temperature of an agent's settings; 0 for a module's agent, which has no temperature of its own. */
function temperatureOf({ temperature }: { readonly temperature: unknown }): number {
  return typeof temperature === "number" ? temperature : 0;
}

/** Maximum characters of a sentence that is shown as the place of an answer. */
const mostShown = 160;

interface Finished {
  readonly answer: AskResult;
  readonly document: ReadText;
  readonly model: AgentModel;
  readonly retries: readonly RetryNote[];
  readonly settings: { readonly kind: string; readonly preset: string; readonly config: object };
}

async function finish(flags: AskFlags, finished: Finished): Promise<void> {
  const { answer, document, model, retries, settings } = finished;
  const { result, trace } = answer;
  const { counts } = result;
  const text = await spoken(result.answer);
  const { answerPlaces } = await import("../../ask/answer-places.js");
  const places = answerPlaces(document.text, { question: flags.question, answer: text });
  if (flags.json) {
    const { boxedText } = await import("@palimpsest/rewards");
    const report = {
      question: flags.question,
      answer: result.answer.trim(),
      boxed: boxedText(result.answer),
      places,
      memory: result.memory,
      model: model.name,
      agent: settings,
      document: {
        sources: document.sources,
        skipped: document.skipped,
        remarks: document.remarks,
        characters: document.text.length,
        tokens: answer.documentTokens,
        droppedTokens: result.droppedDocumentTokens,
      },
      counts,
      ...(result.counters === undefined ? {} : { counters: result.counters }),
      seconds: answer.seconds,
      resumedAtToken: answer.resumedAtToken,
      retries,
      trace: flags.trace ?? null,
    };
    output.print(report);
  } else if (text !== "") {
    const { harmless } = await import("../../ask/ask-screen.js");
    process.stdout.write(`${process.stdout.isTTY ? harmless(text) : text}\n`);
  }
  const told = [
    `${answer.documentTokens} tokens ${trace.memorySteps.length === 0 ? "at once" : `in ${counted(trace.memorySteps.length, "step")}`}, ${formatSeconds(answer.seconds)}`,
    ...(result.droppedDocumentTokens > 0 ? [`${result.droppedDocumentTokens} tokens not read`] : []),
    ...(counts.truncated > 0
      ? [`${counted(counts.truncated, "reply", "replies")} truncated at the token limit`]
      : []),
    ...(counts.emptyUpdates > 0 ? [counted(counts.emptyUpdates, "empty update", "empty updates")] : []),
    ...(retries.length > 0 ? [`${counted(retries.length, "request")} retried`] : []),
  ];
  process.stderr.write(`${told.join("; ")}\n`);
  if (!flags.json) {
    const { oneLine } = await import("../../ask/ask-screen.js");
    for (const { line, text: sentence, hasAnswer } of places)
      process.stderr.write(
        `${hasAnswer ? "line" : "see line"} ${line}: ${oneLine(sentence).slice(0, mostShown)}\n`,
      );
  }
  // The answer was said first, because a full disk must not cost it.
  if (flags.trace !== undefined) await writeTrace(flags.trace, answer);
  if (text === "") throw (await import("../../ask/ask-run.js")).emptyAnswer();
  if (flags.resume !== undefined) {
    const { rm } = await import("node:fs/promises");
    await rm(flags.resume, { force: true });
  }
}

/** Formats the answer for people, with boxed text taken out of its box. */
async function spoken(answer: string): Promise<string> {
  const { boxedAnswer, boxedText } = await import("@palimpsest/rewards");
  const text = answer.trim();
  const boxed = boxedText(text);
  const plain = boxed === null ? text : text.replace(`\\boxed{${boxedAnswer(text)}}`, () => boxed);
  return plain.trim();
}

async function writeTrace(path: string, { trace }: AskResult): Promise<void> {
  const { TraceFile, traceHtml } = await import("@palimpsest/evals");
  if (extname(path) === ".jsonl") {
    const file = await TraceFile.open(path);
    await file.append(trace);
  } else {
    const { writeFile } = await import("node:fs/promises");
    await writeFile(path, traceHtml([trace], { title: trace.task.question }));
  }
  process.stderr.write(`wrote ${path}\n`);
}

function checkTrace(path: string | undefined): void {
  if (path === undefined || [".html", ".jsonl"].includes(extname(path))) return;
  throw new PalimpsestError("INVALID_ARGUMENT", `--trace ${path}: name a file that ends in .html or .jsonl`);
}

/** Gives back the document that follows --set, because the flag takes every word after it for a setting. */
export function documentAfterSettings(source: string, set: readonly string[]) {
  const last = set.at(-1);
  const isDocument = source === "-" && set.length > 1 && last !== undefined && !last.includes("=");
  return isDocument ? { source: last, set: set.slice(0, -1) } : { source, set };
}

function parseSet(texts: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) {
        throw new PalimpsestError(
          "INVALID_ARGUMENT",
          `--set ${text}: is not NAME=VALUE, such as chunkTokens=2048`,
        );
      }
      const value = withPromptFiles(parseYaml(text.slice(at + 1), `--set ${text}`), process.cwd());
      return [text.slice(0, at).trim(), value];
    }),
  );
}

function stoppedText({ read, total }: { read: number; total: number }, resume: string | undefined): string {
  const place = total === 0 ? "stopped" : `stopped after ${read} of ${total} tokens`;
  if (resume === undefined) return `${place}; with --resume FILE the position would be saved`;
  return read === 0
    ? `${place}; the same command starts from the beginning`
    : `${place}; the same command resumes from ${resume}`;
}

import { findAnswerable, loadTasks, saveTasks } from "@palimpsest/datasets";
import { bestQaMetrics, boxedExactMatch, normalizeAnswer } from "@palimpsest/rewards";
import { replaceFile } from "@palimpsest/std/files";
import { fnv1a32 } from "@palimpsest/std/random";
import type { Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { filterOutput } from "../../data/data-outputs.js";
import { progressLine } from "../../display/progress-line.js";
import { parseCount } from "../../input/key-values.js";
import { untilStopped } from "../../input/signals.js";
import { type BackendChoice, backendOption } from "../../models/backend-option.js";
import { modelArgument, withIgnoreConfig } from "../../models/model-input.js";
import {
  defaultModel,
  openTextSource,
  type SamplingFlags,
  withSamplingFlags,
} from "../../models/text-source.js";

interface FilterFlags extends SamplingFlags {
  readonly out: string;
  readonly log?: string;
  readonly model?: string;
  readonly endpoint?: string;
  readonly backend: BackendChoice;
  readonly samples: number;
  readonly concurrency: number;
  readonly match: Match;
  readonly json?: boolean;
}

const matches = ["em", "substring", "either"] as const;
type Match = (typeof matches)[number];

/** The prompt without the document. `{question}` is the question. */
const prompt = "{question}\n\nAnswer the question from what you know, briefly. Put the answer in \\boxed{}.";

export function addDataFilter(data: Command): void {
  const command = data
    .command("filter")
    .description(
      "drops the questions that a model answers without the document; resumes where it was stopped",
    )
    .argument("<file>", "file of tasks")
    .requiredOption("--out <file>", "file of the remaining tasks")
    .option("--log <file>", "file of the model's answers; default: OUT.answers.jsonl")
    .option("--model <name>", `${modelArgument}; with --endpoint: the server's name for it`)
    .option(
      "--endpoint <url>",
      "URL of an OpenAI-compatible server to use instead; its key comes from OPENAI_API_KEY",
    )
    .addOption(backendOption())
    .option("--samples <k>", "answers per question; it is dropped if one of them is right", parseCount, 2)
    .option("--concurrency <n>", "number of questions that are asked at once", parseCount, 4)
    .addOption(
      new Option(
        "--match <rule>",
        "em: the boxed answer equals a gold one; substring: a gold one occurs in the text",
      )
        .choices([...matches])
        .default("either"),
    )
    .addOption(filterOutput.option());
  withIgnoreConfig(withSamplingFlags(command)).action((path: string, flags: FilterFlags) =>
    filter(path, flags),
  );
}

async function filter(path: string, flags: FilterFlags): Promise<void> {
  const { tasks, badRows } = await loadTasks(path);
  const [bad] = badRows;
  if (bad !== undefined) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${path}: ${badRows.length} bad row(s), the first on line ${bad.line}: ${bad.detail}; prepare the file again`,
    );
  }
  if (tasks.length === 0) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${path}: contains no task; give a file that \`palimpsest data prepare\` wrote`,
    );
  }
  const { samples, concurrency, match, temperature, topP, maxTokens, seed = 0, endpoint } = flags;
  const model = flags.model ?? defaultModel;
  const source = await openTextSource(model, flags, { parallel: concurrency });
  const bar = progressLine("asking", "questions", process.stderr);
  const logPath = flags.log ?? `${flags.out}.answers.jsonl`;
  try {
    const { answered, answers, resumed } = await untilStopped((signal) =>
      findAnswerable({
        tasks,
        samples,
        concurrency,
        logPath,
        settings: {
          source: endpoint ?? "local",
          model,
          prompt,
          match,
          samples,
          temperature,
          topP,
          maxTokens,
          seed,
        },
        ask: async ({ id, question }, sample, aborted) => {
          const content = prompt.replace("{question}", () => question);
          const asked = {
            messages: [{ role: "user", content }],
            seed: seedOf(`${seed}/${id}/${sample}`),
            signal: aborted,
          };
          return (await source.ask(asked).result).text;
        },
        isRight: (answer, gold) => isRight(match, answer, gold),
        signal,
        onProgress: ({ done, total, answered: dropped }) =>
          bar.show({ done, total, note: `${dropped} answered without the document` }),
      }),
    );
    const kept = tasks.filter(({ id }) => !answered.has(id));
    await saveTasks(flags.out, kept);
    const record = {
      filter: "answerable without the document",
      input: path,
      model: source.name,
      prompt,
      samples,
      match,
      temperature,
      topP,
      maxTokens,
      seed,
      tasks: tasks.length,
      kept: kept.length,
      dropped: answered.size,
      answers: answers.length,
      log: logPath,
    };
    await replaceFile(`${flags.out}.filter.json`, `${JSON.stringify(record, null, 2)}\n`);
    if (flags.json) filterOutput.print(record);
    else
      process.stdout.write(
        `${flags.out}  ${kept.length} of ${tasks.length} tasks remain; ${answered.size} were answered without the document by ${source.name}\n` +
          `answers: ${logPath}  ${answers.length}${resumed > 0 ? `, of which ${resumed} come from an earlier run` : ""}\n`,
      );
  } finally {
    bar.close();
    await source.close();
  }
}

/** Returns whether an answer given without the document is right. */
export function isRight(match: Match, answer: string, gold: Task["answers"]): boolean {
  const exact = () =>
    boxedExactMatch(answer, gold).reward >= 1 || bestQaMetrics(answer, gold).exactMatch >= 1;
  const inside = () => {
    const text = ` ${normalizeAnswer(answer)} `;
    return gold.some((one) => {
      const wanted = normalizeAnswer(one);
      // "yes" and "no" are left out, because they occur in almost any text.
      return !["", "yes", "no"].includes(wanted) && text.includes(` ${wanted} `);
    });
  };
  if (match === "em") return exact();
  return match === "substring" ? inside() : exact() || inside();
}

/** Hashes a text to 31 bits (FNV-1a), so that a question gets the same seeds whatever else is in the file. */
function seedOf(text: string): number {
  return fnv1a32(new TextEncoder().encode(text)) >>> 1;
}

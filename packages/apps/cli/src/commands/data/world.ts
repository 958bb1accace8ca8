import { openWorldTasks, worldConfigSchema, worlds } from "@palimpsest/datasets";
import { certifyWorld, leastQuestions, type WorldCertificate } from "@palimpsest/evals";
import { hashedEmbedder } from "@palimpsest/memory";
import { parseInput } from "@palimpsest/std/input";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { certificatesOutput, taskOutput, worldsOutput } from "../../data/data-outputs.js";
import { taskText } from "../../data/task-text.js";
import type { JsonOutput } from "../../display/json-output.js";
import { progressLine } from "../../display/progress-line.js";
import { formatTable } from "../../display/table.js";
import { parseCount, parseWhole } from "../../input/key-values.js";
import { untilStopped } from "../../input/signals.js";

interface WorldFlags {
  readonly split: "train" | "dev" | "test";
  readonly seed: string;
  readonly cast?: number;
  readonly bait?: number;
  readonly distance?: number;
  readonly wordings?: number;
  readonly json?: boolean;
}

interface ShowFlags extends WorldFlags {
  readonly sentences: number;
  readonly index: number;
  readonly documentChars: number;
}

interface CheckFlags extends WorldFlags {
  readonly sentences: readonly number[];
  readonly questions: number;
}

export function addWorld(program: Command): void {
  const world = program
    .command("world")
    .description("generated worlds whose answers are certain: list, show, check against word search");
  world
    .command("list")
    .description("lists the worlds with what is asked in them")
    .addOption(worldsOutput.option())
    .action((flags: { readonly json?: boolean }) => {
      const rows = worlds.map(({ name, rule, defaults }) => ({ name, rule, ...defaults }));
      const table = () =>
        formatTable(
          ["world", "rule"],
          rows.map(({ name, rule }) => [name, rule]),
        );
      if (flags.json) worldsOutput.print(rows);
      else process.stdout.write(`${table()}\n`);
    });
  const show = world
    .command("show")
    .description("prints one text with its question and answer")
    .addArgument(nameOfWorld())
    .option("--sentences <n>", "sentences of the text", parseCount, 64)
    .option("--index <n>", "index of the task, from 0", parseWhole, 0)
    .option("--document-chars <n>", "maximum characters of the text; 0: all", parseWhole, 0);
  withWorldFlags(show, "train", taskOutput).action(async (name: string, flags: ShowFlags) => {
    const { sentences, index, documentChars, json, ...setting } = flags;
    const tasks = openWorldTasks({ world: name, ...setting, sentences, count: index + 1 });
    const task = await tasks.open(index);
    if (json) taskOutput.print(task);
    else process.stdout.write(taskText(task, documentChars));
  });
  const check = world
    .command("check")
    .description("asks exact oracles and searches: can words find the answer?")
    .addArgument(nameOfWorld())
    .addOption(
      new Option(
        "--sentences <n...>",
        "lengths of the texts in sentences; default 64, 512 and 4096",
      ).argParser((text: string, before: readonly number[] | undefined) => [
        ...(before ?? []),
        parseCount(text),
      ]),
    )
    .option(
      "--questions <n>",
      `questions for each length; below ${leastQuestions} nothing is certain`,
      parseCount,
      leastQuestions,
    );
  withWorldFlags(check, "test", certificatesOutput).action(async (name: string, flags: CheckFlags) => {
    const certificates = await untilStopped((signal) => certificatesOf(name, flags, signal));
    if (flags.json) certificatesOutput.print(certificates);
    else process.stdout.write(certificates.map((one) => `${certificateText(one)}\n`).join("\n"));
  });
}

const nameOfWorld = () =>
  new Argument("<world>", "name of the world").choices(worlds.map(({ name }) => name));

/** Adds the flags of a world's settings, each checked by the setting's own schema. */
function withWorldFlags(command: Command, split: "train" | "test", output: JsonOutput): Command {
  const { shape } = worldConfigSchema;
  const number = (field: "cast" | "bait" | "distance" | "wordings") => {
    const check = (text: string) =>
      parseInput(shape[field], Number(text), (problem) => new InvalidArgumentError(problem));
    command.addOption(new Option(`--${field} <n>`, shape[field].description).argParser(check));
  };
  command.addOption(
    new Option("--split <part>", shape.split.description).choices(["train", "dev", "test"]).default(split),
  );
  command.option("--seed <seed>", "seed of the texts: a number or a word", "1");
  for (const field of ["cast", "bait", "distance", "wordings"] as const) number(field);
  return command.addOption(output.option());
}

async function certificatesOf(
  name: string,
  { sentences = [64, 512, 4096], questions, split, seed, cast, bait, distance, wordings }: CheckFlags,
  signal: AbortSignal,
): Promise<WorldCertificate[]> {
  const bar = progressLine(`checking ${name}`, "questions", process.stderr);
  const embedder = hashedEmbedder();
  const difficulty = { cast, bait, distance, wordings };
  const certificates: WorldCertificate[] = [];
  try {
    for (const [at, length] of sentences.entries()) {
      const onProgress = (done: number) =>
        bar.show({ done: at * questions + done, total: sentences.length * questions });
      certificates.push(
        await certifyWorld({
          world: name,
          length,
          questions,
          seed,
          split,
          difficulty,
          embedder,
          signal,
          onProgress,
        }),
      );
    }
  } finally {
    bar.close();
  }
  return certificates;
}

const percent = (share: number) => (100 * share).toFixed(1);

const verdicts: Readonly<Record<WorldCertificate["verdict"], (one: WorldCertificate) => string>> = {
  closed: ({ highest }) =>
    `closed to word search: no search gets its reader 10 points above the best guess (highest: ${highest})`,
  open: ({ highest }) =>
    `open to word search: ${highest} may get its reader more than 10 points above the best guess`,
  uncertain: ({ questions }) =>
    questions < leastQuestions
      ? `nothing is certain: ${questions} questions are fewer than ${leastQuestions}`
      : "nothing is certain: an oracle was wrong",
};

function certificateText(one: WorldCertificate): string {
  const { world, split, seed, difficulty, length, questions, meanCharacters, evidence, sha256, rows } = one;
  const { cast, bait, distance, wordings } = difficulty;
  const table = rows.map(({ name, kind, share, interval, sentences, byKind }) => [
    kind,
    name,
    sentences === undefined ? "" : sentences.toFixed(0),
    percent(share),
    `[${percent(interval.low)}, ${percent(interval.high)}]`,
    // More than a few kinds tell nothing.
    Object.entries(byKind)
      .slice(0, 3)
      .map(([of, { n, share: its }]) => `${of} ${percent(its)} of ${n}`)
      .join(", "),
  ]);
  return [
    `${world}, ${length} sentences, ${questions} questions (${split}, seed ${seed}; cast ${cast}, bait ${bait}, distance ${distance}, wordings ${wordings})`,
    `${meanCharacters} characters, ${evidence.toFixed(1)} sentences of evidence on average; sha256 ${sha256.slice(0, 16)}…`,
    formatTable(["", "answers by", "sentences", "right %", "95 %", "by kind"], table),
    verdicts[one.verdict](one),
  ].join("\n");
}

import { basename, dirname } from "node:path";
import {
  type BoardRow,
  type BoardSettings,
  boardFiles,
  boardOf,
  leaksOf,
  parseBoardSettings,
  summarizeSuite,
  worldScorer,
  worldScripts,
  worldSuite,
  writeFiles,
} from "@palimpsest/evals";
import { hashedEmbedder } from "@palimpsest/memory";
import { parseYaml, readYamlFile, withPromptFiles } from "@palimpsest/trainer";
import { type Command, Option } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { type EvalFlags, settingsPath, withAnswerFlags, withModelFlags } from "../../eval/eval-flags.js";
import { askSystems } from "../../eval/eval-run.js";
import { refuseIgnored } from "../../input/endpoint-flags.js";
import { parseCount } from "../../input/key-values.js";
import { untilStopped } from "../../input/signals.js";

interface BoardFlags extends EvalFlags {
  readonly sentences?: readonly number[];
  readonly questions?: number;
}

/** A row's name in a suite: its system, on one of its models. */
const labelOf = (system: string, model: string | undefined) =>
  model === undefined ? system : `${system}@${model}`;

const group = z.string().describe("length in sentences");
const division = z.enum(["question known", "question unknown"]);
const interval = z.strictObject({ low: z.number(), high: z.number() });
const boardOutput = new JsonOutput(() =>
  z.strictObject({
    title: z.string(),
    facts: z.record(z.string(), z.union([z.string(), z.number()])),
    cells: z.array(
      z.strictObject({
        row: z.string(),
        kind: z.enum(["entry", "control", "oracle", "floor", "ceiling", "cheat"]),
        division,
        group,
        questions: z.int(),
        trainingSeeds: z.int(),
        score: z.number(),
        interval,
        cost: z
          .strictObject({
            calls: z.number(),
            readTokens: z.number(),
            sampledTokens: z.number(),
            contextTokens: z.number(),
          })
          .describe("means per question that did not fail"),
      }),
    ),
    pairs: z.array(
      z.strictObject({
        division,
        group,
        first: z.string(),
        second: z.string(),
        difference: z.number(),
        interval,
        adjustedP: z.number().nullable(),
      }),
    ),
    emptied: z.record(z.string(), z.array(z.string())).describe("groups without scores, and why"),
    failed: z.array(z.strictObject({ row: z.string(), group, questions: z.int(), first: z.string() })),
  }),
);

export function addBoard(program: Command): void {
  const board = program
    .command("board")
    .description(
      "memory agents on generated worlds: scores beside their costs, with controls that can empty them",
    )
    .argument("<file.yaml>", "worlds, sentences and rows; `worlds` is a file of the installation")
    .addOption(
      new Option("--sentences <n...>", "replaces the file's lengths").argParser(
        (text: string, before: readonly number[] | undefined) => [...(before ?? []), parseCount(text)],
      ),
    )
    .option("--questions <n>", "replaces the file's number of questions", parseCount);
  withAnswerFlags(withModelFlags(board), boardOutput).action(async (name: string, given: BoardFlags) => {
    const flags = { ...given, set: [] };
    const file = settingsPath(name, "boards");
    refuseIgnored(flags);
    const read = parseBoardSettings(
      withPromptFiles(parseYaml(readYamlFile(file, "board"), file, { merge: true }), dirname(file)),
      file,
    );
    const settings = {
      ...read,
      ...(flags.sentences ? { sentences: [...flags.sentences] } : {}),
      ...(flags.questions === undefined ? {} : { questions: flags.questions }),
      ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
    };
    await askRows(file, settings, flags);
  });
}

async function askRows(file: string, settings: BoardSettings, flags: EvalFlags): Promise<void> {
  const { worlds, sentences: lengths, questions, split, seed, lowercase, difficulty } = settings;
  const asked = { worlds, lengths, questions, split, seed, lowercase, difficulty };
  const suite = await untilStopped((signal) => worldSuite(asked, signal));
  const scripts = worldScripts(suite, hashedEmbedder());
  const rows = rowsOf(settings);
  const title = settings.description ?? basename(file);
  const all: BoardRow[] = [
    ...rows,
    ...scripts.map(({ kind, system }): BoardRow => {
      return { name: system.name, kind, division: "question known", systems: [system.name] };
    }),
  ];
  const { run } = await askSystems(
    {
      suite: "board",
      items: suite.items,
      scorer: worldScorer,
      scripts: scripts.map(({ system }) => system),
    },
    [...new Set(rows.flatMap(({ systems }) => systems))],
    flags,
    settings,
  );
  const board = boardOf(summarizeSuite(run), all, leaksOf(suite.items));
  const facts = {
    // Not its folder, so that another machine writes the same.
    ...(flags.model === undefined ? {} : { model: basename(flags.model) }),
    worlds: worlds.join(", "),
    sentences: lengths.join(", "),
    questions,
    split,
    seed,
  };
  const files = boardFiles(title, facts, board);
  const paths = flags.out === undefined ? [] : await writeFiles(flags.out, files);
  if (flags.json) boardOutput.printText(files["board.json"]);
  else process.stdout.write(files["board.md"]);
  for (const path of paths) process.stderr.write(`wrote ${path}\n`);
}

/** Returns the rows of the file, and for each of their models a control that answers without the text. */
function rowsOf({ rows }: BoardSettings): BoardRow[] {
  const entries = Object.entries(rows).map(([name, { system, models, division }]): BoardRow => {
    const systems = models?.map((model) => labelOf(system, model)) ?? [labelOf(system, undefined)];
    return { name, kind: "entry", division, systems };
  });
  const models = new Set(Object.values(rows).flatMap((row) => row.models ?? [undefined]));
  const controls = [...models].map((model): BoardRow => {
    const label = labelOf("closed-book", model);
    const name = `without the text${model === undefined ? "" : `, ${basename(model)}`}`;
    return { name, kind: "control", division: "question known", systems: [label] };
  });
  return [...entries, ...controls];
}

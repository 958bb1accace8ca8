import { dirname, join } from "node:path";
import type { PreparedData, Preparer, RowFormat } from "@palimpsest/datasets";
import { prepareData, preparers, rowFormats } from "@palimpsest/datasets";
import { type Command, Option } from "commander";
import { badRowLines } from "../../data/bad-row-lines.js";
import { checkText } from "../../data/check-text.js";
import { tokenCounter } from "../../data/count-tokens.js";
import { preparedOutput } from "../../data/data-outputs.js";
import { type HubFlags, hubSources, withHubFlags } from "../../data/hub-sources.js";
import { preparerOptions, withPreparerFlags } from "../../data/preparer-flags.js";
import { shownPath } from "../../data/shown-path.js";
import { formatBytes } from "../../display/bytes.js";
import { progressLine } from "../../display/progress-line.js";
import { parseCount } from "../../input/key-values.js";
import { untilStopped } from "../../input/signals.js";

interface PrepareFlags extends HubFlags {
  readonly input?: readonly string[];
  readonly out: string;
  readonly seed: string;
  readonly limit?: number;
  readonly format: RowFormat;
  readonly tokenizer?: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

export function addDataPrepare(data: Command): void {
  const prepare = data
    .command("prepare")
    .description("creates files of tasks from a data set, with a manifest next to them");
  for (const preparer of preparers) addPreparer(prepare, preparer);
}

function addPreparer(prepare: Command, preparer: Preparer): void {
  const command = prepare.command(preparer.name).description(preparer.summary);
  if (preparer.inputs !== "none") {
    command.option("--input <files...>", "source files: JSON, JSONL or parquet");
    withHubFlags(command);
  }
  const what = preparer.file
    ? "folder to write the files to"
    : "file to write; its manifest is written next to it";
  command
    .requiredOption("--out <path>", what)
    .option("--seed <seed>", "seed of all random choices: a number or a word", "1")
    .option(
      "--limit <n>",
      preparer.file ? "maximum number of tasks per file" : "maximum number of tasks",
      parseCount,
    )
    .addOption(
      new Option("--format <form>", "task: this project's JSONL; vime: vime's; eval: RULER-HQA's JSON array")
        .choices([...rowFormats])
        .default("task"),
    )
    .option("--tokenizer <model>", "model whose tokenizer counts lengths in tokens: folder or name")
    .option("--check", "writes nothing: reports which files exist and whether they are correct")
    .addOption(preparedOutput.option("prints the manifest"));
  withPreparerFlags(command, preparer).action(async (flags: PrepareFlags & Record<string, unknown>) => {
    const options = preparerOptions(preparer, flags);
    if (flags.check) return await check(preparer, options, flags);
    await run(preparer, options, flags);
  });
}

async function run(preparer: Preparer, options: Record<string, unknown>, flags: PrepareFlags): Promise<void> {
  const hub = await hubSources(flags);
  const countTokens = flags.tokenizer === undefined ? undefined : await tokenCounter(flags.tokenizer);
  const bar = progressLine(`preparing ${preparer.name}`, "tasks", process.stderr);
  let prepared: PreparedData;
  try {
    prepared = await untilStopped((signal) =>
      prepareData({
        preparer,
        options,
        inputs: [...(hub?.files ?? []), ...(flags.input ?? [])],
        out: flags.out,
        seed: /^\d{1,15}$/.test(flags.seed) ? Number(flags.seed) : flags.seed,
        format: flags.format,
        ...(flags.limit === undefined ? {} : { limit: flags.limit }),
        ...(hub === undefined ? {} : { hub: hub.origin }),
        ...(countTokens === undefined ? {} : { countTokens }),
        signal,
        onProgress: ({ tasks, total, badRows }) =>
          bar.show({
            done: tasks,
            ...(total === undefined ? {} : { total }),
            ...(badRows > 0 ? { note: `${badRows} bad rows` } : {}),
          }),
      }),
    );
  } finally {
    bar.close();
  }
  if (flags.json) preparedOutput.print(prepared.manifest);
  else process.stdout.write(preparedText(prepared));
}

function preparedText({ manifest, manifestPath, files, badRows }: PreparedData): string {
  const lines = files.map(
    ({ path, kind, rows, sizeBytes, sha256 }) =>
      `${path}  ${rows} ${kind === "corpus" ? "paragraphs" : kind}  ${formatBytes(sizeBytes)}  sha256 ${sha256.slice(0, 16)}…`,
  );
  for (const [reason, count] of Object.entries(manifest.leftOut)) lines.push(`left out: ${count} ${reason}`);
  for (const [reason, count] of Object.entries(manifest.remarks)) lines.push(`remark: ${count} ${reason}`);
  lines.push(...badRowLines(badRows));
  if (manifest.badRows.list !== null)
    lines.push(`all bad rows: ${shownPath(join(dirname(manifestPath), manifest.badRows.list))}`);
  return `${[...lines, `manifest: ${shownPath(manifestPath)}`].join("\n")}\n`;
}

async function check(
  preparer: Preparer,
  options: Record<string, unknown>,
  flags: PrepareFlags,
): Promise<void> {
  const ending = flags.format === "eval" ? ".json" : ".jsonl";
  const expected = (preparer.files?.(options) ?? []).map((name) => `${name}${ending}`);
  const { checkData } = await import("@palimpsest/datasets");
  const checked = await untilStopped((signal) => checkData(flags.out, { expected, signal }));
  if (flags.json) preparedOutput.print(checked);
  else process.stdout.write(checkText(checked));
  if (!checked.every(({ right }) => right)) process.exitCode = 1;
}

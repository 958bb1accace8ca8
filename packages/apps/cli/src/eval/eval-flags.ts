import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type EvalSettings,
  overrideSetting,
  parseEvalSettings,
  suiteReportSchema,
  systemSettings,
} from "@palimpsest/evals";
import { builtinRecipesDir, parseYaml, readYamlFile, withPromptFiles } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, InvalidArgumentError, Option } from "commander";
import { JsonOutput } from "../display/json-output.js";
import { refuseIgnored } from "../input/endpoint-flags.js";
import { parseCount, parsePositive, parseWhole } from "../input/key-values.js";
import { type BackendChoice, backendOption } from "../models/backend-option.js";
import { withIgnoreConfig } from "../models/model-input.js";

/** Options of all evaluations. */
export interface EvalFlags {
  readonly model?: string;
  readonly endpoint?: string;
  readonly tokenizer?: string;
  readonly ignoreConfig?: readonly string[];
  readonly backend?: BackendChoice;
  readonly systems?: readonly string[];
  readonly settings?: string;
  readonly set: readonly string[];
  readonly limit?: number;
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly seed: number;
  readonly out?: string;
  readonly compare?: readonly string[];
  readonly trace?: string;
  readonly json?: boolean;
}

/** Adds the flags of an evaluation of systems that flags or a settings file name. */
export function withEvalFlags(command: Command): Command {
  const withSystems = withModelFlags(command)
    .option(
      "--systems <names>",
      "systems to evaluate, such as memagent,rag-bm25; NAME@MODEL runs on another model",
      names,
    )
    .addOption(
      new Option("--contestants <names>").hideHelp().argParser((): never => {
        throw new InvalidArgumentError("Use --systems instead.");
      }),
    )
    .option(
      "--settings <file.yaml>",
      "prompts and limits of the systems under evaluation; `published` names those of MemAgent's paper, which are in the installation",
    )
    .option(
      "--set <path=value...>",
      "replaces one setting, such as memagent.chunkTokens=2048 or reader.passages=4",
      [],
    )
    .option("--limit <n>", "only the first n questions of each group", parseCount);
  return withAnswerFlags(withSystems).option(
    "--compare <folder>",
    "paired comparison with the report of an earlier run; several times: with the mean of several training runs",
    (folder: string, before: readonly string[] = []) => [...before, folder],
  );
}

/** Adds the flags that name the model that answers. */
export function withModelFlags(command: Command): Command {
  return withIgnoreConfig(command)
    .option(
      "--model <name>",
      "folder, file, run, known name or hub id; with --endpoint the server's name for it",
    )
    .option("--endpoint <url>", "URL of an OpenAI-compatible server; its key comes from OPENAI_API_KEY")
    .option("--tokenizer <name>", "with --endpoint: the model whose tokenizer counts and truncates texts")
    .addOption(backendOption());
}

export const suiteOutput = new JsonOutput(() => suiteReportSchema);

/** Adds the flags of how questions are asked, and where answers go. */
export function withAnswerFlags(command: Command, output: JsonOutput = suiteOutput): Command {
  return command
    .option("--concurrency <n>", "number of questions in progress at once", parseCount)
    .option("--timeout <seconds>", "with --endpoint: deadline of one attempt; default 240", parsePositive)
    .option("--seed <n>", "seed of sampling", parseWhole, 0)
    .option(
      "--out <folder>",
      "folder of the answers and the report; answers in it are kept, and the evaluation resumes",
    )
    .option("--trace <file.jsonl>", "appends every answered question with its steps to a trace file")
    .addOption(output.option("prints the report as JSON"));
}

function names(text: string): string[] {
  const list = text.split(",").map((name) => name.trim());
  if (list.includes("")) throw new InvalidArgumentError(`"${text}" contains an empty name; write NAME,NAME`);
  return list;
}

/**
 * Loads the settings file, with the flags that replace parts of it.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function readEvalSettings(flags: EvalFlags): EvalSettings {
  refuseIgnored(flags);
  const { settings: file, set, concurrency } = flags;
  const path = file === undefined ? undefined : settingsPath(file, "evals");
  const fromFile =
    path === undefined
      ? {}
      : withPromptFiles(parseYaml(readYamlFile(path, "settings"), path, { merge: true }), dirname(path));
  const parsed = parseEvalSettings(fromFile, file ?? "settings");
  const overridden = set.reduce<EvalSettings>((settings, text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new PalimpsestError("CONFIG_INVALID", `--set: "${text}" is not PATH=VALUE`);
    const value = withPromptFiles(parseYaml(text.slice(at + 1), `--set ${text}`), process.cwd());
    return overrideSetting(settings, text.slice(0, at).trim(), value);
  }, parsed);
  // Names are validated before anything is read or downloaded.
  for (const name of flags.systems ?? overridden.run ?? [])
    systemSettings(splitName(name).system, overridden);
  return concurrency === undefined ? overridden : { ...overridden, concurrency };
}

/** Splits `memagent@other-model` into the system and the model on which it runs. */
export function splitName(name: string): { readonly system: string; readonly model?: string } {
  const at = name.indexOf("@");
  return at < 0 ? { system: name } : { system: name.slice(0, at), model: name.slice(at + 1) };
}

/** Returns the path of a settings file. Files of the installation are named without a folder or an extension. */
export function settingsPath(name: string, kind: "boards" | "evals"): string {
  const builtin = join(builtinRecipesDir, kind, `${name}.yaml`);
  return /^[a-z0-9-]+$/.test(name) && existsSync(builtin) ? builtin : resolve(name);
}

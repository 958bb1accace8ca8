import { closestWord } from "@palimpsest/std/input";
import { Command, type Option } from "commander";
import { needsPackage } from "../display/failure.js";
import { exitCodeName, exitCodes } from "../input/exit-codes.js";
import { parseFilled } from "../input/key-values.js";
import { forbidInput, noInputOption } from "../input/no-input.js";
import { refuseUnwritable } from "../input/output-paths.js";
import { version } from "../installation/version.js";
import { commands } from "./commands.js";

/** The commands by the heading of their help. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "A cluster on this machine or several": [
    "dev",
    "head",
    "worker",
    "stop",
    "drain",
    "upgrade",
    "certs",
    "token",
  ],
  "What runs there": [
    "status",
    "list",
    "summary",
    "job",
    "logs",
    "stack",
    "profile",
    "memory",
    "timeline",
    "dashboard",
  ],
  "Memory agents": ["ask", "serve", "mcp", "new"],
  "Training and evaluation": [
    "quickstart",
    "train",
    "eval",
    "board",
    "data",
    "world",
    "model",
    "score",
    "loss",
    "trace",
  ],
  "This installation": ["setup", "doctor", "config", "version", "schema", "completion"],
};

/** Commands that are about all commands. */
const ofAll = ["completion", "schema"];

const footer = `
Every command takes --no-input and, with few exceptions, --json, whose form \`palimpsest schema\` prints. Data goes to
standard output, all else to standard error. NO_COLOR turns colors off, FORCE_COLOR on. Exit codes: ${Object.entries(
  exitCodes,
)
  .map(([name, code]) => `${code} ${exitCodeName(name)}`)
  .join(", ")}.`;

/**
 * Makes the program with the command that is wanted, or with all of them.
 * @param wanted name of a command; all are loaded for one that is none, and for the one that completes all. The version
 *   needs none.
 * @throws for a command of the whole package, where only `@palimpsest/runtime` is installed
 */
export async function makeProgram(wanted: string | undefined): Promise<Command> {
  if (
    wanted !== undefined &&
    !Object.hasOwn(commands, wanted) &&
    Object.values(groups).flat().includes(wanted)
  )
    throw new Error(`${wanted}: ${needsPackage("palimpsest")}`);
  const program = new Command("palimpsest")
    .description("A distributed actor system, and reinforcement learning of memory agents on top of it.")
    .version(version);
  const isOne = wanted !== undefined && !ofAll.includes(wanted) && Object.hasOwn(commands, wanted);
  const only = isOne ? commands[wanted] : undefined;
  if (only) (await only())(program);
  else if (wanted !== "--version" && wanted !== "-V") {
    for (const [heading, names] of Object.entries(groups)) {
      program.commandsGroup(`${heading}:`);
      for (const name of names) (await commands[name]?.())?.(program);
    }
    addHelpCommand(program);
  }
  program.addHelpText("after", footer).hook("preAction", (_program, command) => {
    if (command.optsWithGlobals()["noInput"] === true) forbidInput();
    refuseUnwritable(command);
  });
  nameHelp(program, "palimpsest");
  const [visible] = program.options.filter(({ long }) => long === "--no-input");
  if (visible !== undefined) visible.hidden = false;
  return program;
}

/** Commander's own command shows the help of everything for a command that there is not. */
function addHelpCommand(program: Command): void {
  program.helpCommand(false);
  program
    .command("help")
    .description("shows the help of a command")
    .argument("[command...]", "such as `job submit`")
    .action((words: readonly string[]) => {
      let command = program;
      for (const word of words) {
        const child = command.commands.find((one) => one.name() === word);
        const known = command.commands.map((one) => one.name());
        if (child === undefined)
          return command.error(`error: unknown command '${word}'${didYouMean(closestWord(word, known))}`);
        command = child;
      }
      command.help();
    });
}

/**
 * Makes usage errors name the help of the command that was meant, shows defaults as they are written in a command, and
 * refuses empty values.
 */
function nameHelp(command: Command, name: string): void {
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
  const listed = isGroup ? "commands" : "arguments and options";
  command.showHelpAfterError(`(${name} --help lists the ${listed})`);
  nameMeant(command);
  command.addOption(noInputOption().hideHelp());
  command.addHelpText("after", ({ error }) => {
    // The help in place of a missing subcommand is an error.
    if (error) process.exitCode = exitCodes.usage;
    return "";
  });
  for (const option of command.options) {
    const { defaultValue } = option;
    if (option.required && !option.flags.endsWith("<text>"))
      option.argParser(filled(option, option.variadic));
    if (option.variadic && command.registeredArguments.length > 0 && !option.flags.includes("="))
      takeOneWord(option);
    if (typeof defaultValue !== "object" || defaultValue === null) continue;
    const words = Array.isArray(defaultValue) ? defaultValue : Object.keys(defaultValue);
    // Commander has stored the value; from here on the option's copy is only shown.
    if (words.length === 0) option.defaultValue = undefined;
    else option.defaultValueDescription ??= words.join(" ");
  }
  for (const child of command.commands) nameHelp(child, `${name} ${child.name()}`);
}

/** Names a mistyped option before one that is missing, and the choice that was probably meant. */
function nameMeant(command: Command): void {
  const error = command.error.bind(command);
  const report: typeof error = (message, options) =>
    error(message, { ...options, exitCode: exitCodes.usage });
  command.error = (message, options) => {
    const unknown = command.args.find((word) => /^-./.test(word));
    if (options?.code === "commander.missingMandatoryOptionValue" && unknown !== undefined) {
      const [flag = unknown] = unknown.split("=", 1);
      const flags = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
      return report(`error: unknown option '${flag}'${didYouMean(closestWord(flag, flags))}`, {
        code: "commander.unknownOption",
      });
    }
    if (options?.code === "commander.missingArgument") {
      const missing = command.registeredArguments.find((argument) =>
        message.includes(`'${argument.name()}'`),
      );
      const description = missing?.description ? `: ${missing.description}` : "";
      return report(`${message}${description}`, options);
    }
    if (options?.code === "commander.excessArguments") {
      const more = command.args.slice(command.registeredArguments.length).map((word) => `"${word}"`);
      const many = more.length === 1 ? "is one argument" : `are ${more.length} arguments`;
      return report(
        `error: ${more.join(" ")} ${many} too many for '${command.name()}'; put a value with spaces in quotes`,
        options,
      );
    }
    const [, value = "", choices] =
      /'([^']*)' is invalid[ .].*Allowed choices are (.*)\.$/s.exec(message) ?? [];
    const meant = choices === undefined ? undefined : closestWord(value, choices.split(", "));
    return report(`${message}${didYouMean(meant)}`, options);
  };
}

const didYouMean = (meant: string | undefined) => (meant === undefined ? "" : `\n(Did you mean ${meant}?)`);

/** Lets an option of several words take one each time, because it would take the command's own argument after them. */
function takeOneWord(option: Option): void {
  option.variadic = false;
  option.flags = option.flags.replace("...", "");
  option.description += "; repeat it for several";
}

/** @param isList whether the option holds all words that it was given */
const filled = (option: Option, isList: boolean) => {
  const { parseArg } = option;
  return (text: string, before: unknown) => {
    const value = parseFilled(text);
    if (parseArg !== undefined) return parseArg(value, before);
    if (!isList) return value;
    return Array.isArray(before) && before !== option.defaultValue ? [...before, value] : [value];
  };
};

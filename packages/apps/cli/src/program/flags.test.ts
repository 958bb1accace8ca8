// Every flag of every command is given what is wrong. Commands only parse here: none is run.
import { type Argument, type Command, CommanderError, type Option } from "commander";
import { expect, it } from "vitest";
import { makeProgram } from "./whole-program.js";

class Reached extends Error {}

const program = await makeProgram(undefined);
const commands = all(program);
for (const command of commands) {
  command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  if (command.commands.length === 0)
    command.action(() => {
      throw new Reached();
    });
}
const defaults = new Map(
  commands.map((command) => [
    command,
    Object.fromEntries(
      command.options.map((option) => [
        option.attributeName(),
        command.getOptionValue(option.attributeName()),
      ]),
    ),
  ]),
);
const leaves = commands.filter((command) => command.commands.length === 0);

function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

/** Returns what a command says to words, or "accepted". */
async function said(command: Command, words: readonly string[]): Promise<string> {
  const values = command.registeredArguments
    .filter(({ required }: Argument) => required)
    .map(({ argChoices }: Argument) => argChoices?.[0] ?? "x");
  const needed = command.options
    .filter(({ mandatory, long }: Option) => mandatory && !words.includes(long ?? ""))
    .flatMap(({ long, argChoices }: Option) => [
      long ?? "",
      argChoices?.[0] ?? (long === "--reference" ? "." : "1"),
    ]);
  // What earlier tries have stored must not be seen by this one.
  for (const [name, value] of Object.entries(defaults.get(command) ?? {}))
    command.setOptionValueWithSource(name, value, "default");
  try {
    await program.parseAsync([...pathOf(command), ...needed, ...words, ...values], { from: "user" });
  } catch (reason) {
    if (reason instanceof Reached) return "accepted";
    if (reason instanceof CommanderError) return reason.message;
    throw reason;
  }
  return "accepted";
}

const valued = leaves.flatMap((command) =>
  command.options
    .filter(({ required }: Option) => required)
    .map((option: Option) => ({ command, option, long: option.long ?? "" })),
);
const placeholder = ({ flags }: Option) => /<(.*)>/.exec(flags)?.[1] ?? "";

/** Values of these are free text, which may be empty. */
const mayBeEmpty = (option: Option) => placeholder(option) === "text";
const numbers =
  /^(?:count|port|n|integer|number|rows|lines|bytes|seconds|s|t|x|k|p|rank|tokens|MiB|GiB|name=amount,…|first-last)$/;

it("knows some hundred flags", () => {
  expect(leaves.length).toBeGreaterThan(50);
  expect(valued.length).toBeGreaterThan(400);
});

it("says which flag was meant", async () => {
  const silent: string[] = [];
  for (const command of leaves) {
    const names = command.options.map(({ long }: Option) => long);
    for (const { long, hidden } of command.options) {
      if (!long || long.length < 6 || hidden) continue;
      const near = `${long.slice(0, 4)}${long.slice(5)}`;
      if (names.includes(near)) continue;
      const message = await said(command, [near]);
      if (!message.includes(`unknown option '${near}'`) || !/Did you mean .*--/.test(message))
        silent.push(`${pathOf(command).join(" ")} ${near}: ${message}`);
    }
  }
  expect(silent).toEqual([]);
});

it("names a mistyped flag before what is missing for it", async () => {
  for (const command of leaves) {
    const needed = command.options.find(({ mandatory, long }) => mandatory && (long?.length ?? 0) > 5);
    const [long] = needed === undefined ? [] : [needed.long ?? ""];
    if (long === undefined) continue;
    const near = `${long.slice(0, 4)}${long.slice(5)}`;
    await expect(program.parseAsync([...pathOf(command), near, "x"], { from: "user" })).rejects.toThrow(
      `unknown option '${near}'\n(Did you mean ${long}?)`,
    );
  }
});

it("names an unknown short flag before what is missing", async () => {
  const ask = program.parseAsync(["ask", "x", "-Y", "x"], { from: "user" });
  await expect(ask).rejects.toThrow(/^error: unknown option '-Y'$/);
});

it("says which choice was meant", async () => {
  const list = program.parseAsync(["list", "actor"], { from: "user" });
  await expect(list).rejects.toThrow(/'actor' is invalid .*nodes, actors, .*\n\(Did you mean actors\?\)$/s);
  const [option] = valued.filter(({ option: { argChoices } }) => argChoices?.some((one) => one.length > 4));
  const meant = option?.option.argChoices?.find((one) => one.length > 4) ?? "";
  if (option === undefined) throw new Error("no option has choices");
  expect(await said(option.command, [option.long, meant.slice(1)])).toMatch(`(Did you mean ${meant}?)`);
});

it.each([
  ["nothing", "", (option: Option) => !mayBeEmpty(option)],
  ["a word for a number", "many", (option: Option) => numbers.test(placeholder(option))],
  ["half an emoji for a number", "\ud83d", (option: Option) => numbers.test(placeholder(option))],
  ["not a number", "NaN", (option: Option) => numbers.test(placeholder(option))],
  ["what is no number to the end", "12abc", (option: Option) => numbers.test(placeholder(option))],
  ["an infinite number", "Infinity", (option: Option) => numbers.test(placeholder(option))],
  [
    "a negative number",
    "-7",
    (option: Option) =>
      numbers.test(placeholder(option)) &&
      !["--seed", "--retries", "--data-seed", "--priority"].includes(option.long ?? ""),
  ],
  ["a choice that is none", "nonesuch", (option: Option) => option.argChoices !== undefined],
])("refuses %s by flag, value and fix", async (_name, value, applies) => {
  const wrong: string[] = [];
  for (const { command, long } of valued.filter((one) => applies(one.option))) {
    const message = await said(command, [long, value]);
    const named = message.includes(long) && message.includes(`'${value}' is invalid`);
    const fix = message.slice(message.indexOf("is invalid.") + 11);
    if (!named || fix.trim().length < 10)
      wrong.push(`${pathOf(command).join(" ")} ${long} ${JSON.stringify(value)}: ${message}`);
  }
  expect(wrong).toEqual([]);
});

it("an option of several words leaves the argument after it to the command", async () => {
  for (const [words, name, values] of [
    ["model info --ignore-config a x", "ignoreConfig", ["a"]],
    ["model chat --ignore-config a --ignore-config b x", "ignoreConfig", ["a", "b"]],
    ["model generate --stop END x", "stop", ["END"]],
    ["serve --cors * --cors https://app.example x", "cors", ["*", "https://app.example"]],
  ] as const) {
    const command = leaves.find((one) => words.startsWith(`${pathOf(one).join(" ")} `));
    const reason = await program
      .parseAsync(words.split(" "), { from: "user" })
      .catch((thrown: unknown) => thrown);
    expect(reason, words).toBeInstanceOf(Reached);
    expect(command?.args, words).toEqual(["x"]);
    expect(command?.getOptionValue(name), words).toEqual(values);
    command?.setOptionValueWithSource(name, undefined, "default");
  }
});

it("says which command was meant", async () => {
  for (const command of commands) {
    // The argument of a command that has subcommands, too, may be any word.
    const { parent } = command;
    if (parent === null || command.name().length < 5 || parent.registeredArguments.length > 0) continue;
    // So may that of a default command.
    if (Reflect.get(parent, "_defaultCommandName") !== undefined) continue;
    const near = `${command.name().slice(0, 2)}${command.name().slice(3)}`;
    const words = [...pathOf(command).slice(0, -1), near];
    const reason = await program.parseAsync(words, { from: "user" }).catch((thrown: unknown) => thrown);
    expect(reason instanceof Error && reason.message, words.join(" ")).toMatch(
      /unknown command .*Did you mean/s,
    );
  }
});

it("names what is given beyond a command's arguments", async () => {
  const wrong: string[] = [];
  for (const command of leaves) {
    if (command.registeredArguments.some(({ variadic }) => variadic)) continue;
    const given = command.registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? "x");
    const needed = command.options.filter(({ mandatory }: Option) => mandatory);
    const flags = needed.flatMap(({ long, argChoices }: Option) => [
      long ?? "",
      argChoices?.[0] ?? (long === "--reference" ? "." : "1"),
    ]);
    const reason: unknown = await program
      .parseAsync([...pathOf(command), ...flags, "--", ...given, "nonesuch"], { from: "user" })
      .catch((thrown: unknown) => thrown);
    const message = reason instanceof Error ? reason.message : "accepted";
    if (!/"nonesuch" is one argument too many/.test(message))
      wrong.push(`${pathOf(command).join(" ")}: ${message}`);
  }
  expect(wrong).toEqual([]);
});

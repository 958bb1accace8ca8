// Every rule of commands is held against every command of the real program. None is run here; test/verbs.test.ts runs them.
import { type Command, CommanderError, type Option } from "commander";
import { expect, it } from "vitest";
import { z } from "zod";
import { jsonSchemaOf, verbsOf } from "../display/verbs.js";
import { exitCodeOf, exitCodes } from "../input/exit-codes.js";
import { makeProgram } from "./whole-program.js";

const program = await makeProgram(undefined);
const verbs = verbsOf(program);

function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

const written = { out: "", err: "" };
for (const command of all(program))
  command.exitOverride().configureOutput({
    writeOut: (text) => {
      written.out += text;
    },
    writeErr: (text) => {
      written.err += text;
    },
  });

const flagsOf = ({ command }: (typeof verbs)[number]) =>
  command.options.flatMap(({ long, hidden }: Option) => (long && !hidden ? [long] : []));

/** The words of a call that lacks nothing. */
function wordsOf({ name, command }: (typeof verbs)[number]): readonly string[] {
  const given = command.registeredArguments.filter(({ required }) => required);
  const needed = command.options.filter(({ mandatory }: Option) => mandatory);
  const value = (choices: readonly string[] | undefined) => choices?.[0] ?? "1";
  return [
    ...name.split(" "),
    ...needed.flatMap(({ long, argChoices }: Option) => [long ?? "", value(argChoices)]),
    ...given.map(({ argChoices }) => value(argChoices)),
  ];
}

/** Rules by name; each returns what is wrong with a command. */
const rules: Readonly<Record<string, (verb: (typeof verbs)[number]) => Promise<string> | string>> = {
  "has a description and a heading": ({ command }) => {
    let top = command;
    while (top.parent !== null && top.parent !== program) top = top.parent;
    if (command.description() === "") return "has no description";
    return top.helpGroup() === "" && top.name() !== "help" ? "is under no heading of the help" : "";
  },
  "has --json, or a named reason why not": ({ json, whyNoJson }) => {
    if (json === undefined) return whyNoJson === "" ? "has no --json" : "";
    return whyNoJson === "" ? "" : "has --json and a reason why not";
  },
  "has a schema that zod reads again": ({ json }) => {
    if (json === undefined) return "";
    const schema = z.fromJSONSchema(jsonSchemaOf(json));
    return schema.safeParse("no such thing").success ? "accepts anything" : "";
  },
  "takes --no-input": ({ command }) => {
    const found = command.options.filter(({ long }: Option) => long === "--no-input");
    return found.length === 1 && found[0]?.attributeName() === "noInput" ? "" : "has none";
  },
  "ends with 2 for a mistyped flag, names the right one, and keeps standard output clean": async (verb) => {
    const [flag = ""] = flagsOf(verb).filter((one) => one.length > 6 && one !== "--no-input");
    if (flag === "") return "";
    const typed = `${flag.slice(0, 4)}${flag.slice(5)}`;
    written.out = "";
    written.err = "";
    const [path, ...others] = [verb.name.split(" "), ...wordsOf(verb).slice(verb.name.split(" ").length)];
    const reason: unknown = await program
      .parseAsync([...(path ?? []), typed, ...others], { from: "user" })
      .catch((thrown: unknown) => thrown);
    if (!(reason instanceof CommanderError)) return `${typed}: ${String(reason)}`;
    const wrong = [
      reason.exitCode === exitCodes.usage ? "" : `exit code ${reason.exitCode}`,
      exitCodeOf(reason) === exitCodes.usage ? "" : "another exit code",
      written.out === "" ? "" : `standard output: ${written.out}`,
      written.err.includes(`unknown option '${typed}'`) ? "" : `standard error: ${written.err}`,
      /Did you mean .*--/.test(written.err) ? "" : `no suggestion for ${typed}: ${written.err}`,
    ];
    return wrong.filter(Boolean).join("; ");
  },
  "names the value that was probably meant": async (verb) => {
    for (const option of verb.command.options) {
      const choice = option.argChoices?.find((one) => one.length > 4);
      if (choice === undefined || option.long === undefined || option.hidden) continue;
      written.err = "";
      const typed = `${choice.slice(0, 2)}${choice.slice(3)}`;
      const words = [...verb.name.split(" "), option.long, typed];
      await program.parseAsync(words, { from: "user" }).catch((thrown: unknown) => thrown);
      if (!/Did you mean/.test(written.err)) return `${option.long} ${typed}: ${written.err}`;
    }
    return "";
  },
};

it.each(Object.keys(rules))("every command %s", async (rule) => {
  const wrong: string[] = [];
  for (const verb of verbs) {
    const said = await rules[rule]?.(verb);
    if (said) wrong.push(`${verb.name}: ${said}`);
  }
  expect(wrong).toEqual([]);
  expect(verbs.length).toBeGreaterThan(60);
});

it("a group without one of its commands ends with 2", () => {
  for (const command of all(program)) {
    if (command.commands.length === 0 || verbs.some((verb) => verb.command === command)) continue;
    if (Reflect.get(command, "_defaultCommandName") !== undefined) continue;
    process.exitCode = undefined;
    expect(() => command.help({ error: true }), command.name()).toThrow();
    expect(process.exitCode, command.name()).toBe(exitCodes.usage);
  }
  process.exitCode = undefined;
});

/** Every command in the documents is one of this program, with flags that it has. */
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { expect, it } from "vitest";
import { documentedCommands, markdownBelow } from "../../../../../scripts/docs-check/commands.mjs";
import { commands } from "./commands.js";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));

const files = [
  "README.md",
  ...["docs", "examples", "recipes", "packages", "skills"].flatMap((name) => markdownBelow(root, name)),
];

it("has the commands and flags of every document", async () => {
  const program = new Command();
  for (const load of Object.values(commands)) (await load())(program);
  const found = documentedCommands(root, files).flatMap(({ file, line }) => {
    const own = /^(?:[A-Z_]+=\S+ )*(?:npx )?palimpsest (.*)$/.exec(line)?.[1];
    return own === undefined ? [] : [{ file, line: own.replace(/ ([|>;&]|-- ).*$/, "") }];
  });
  expect(found.length).toBeGreaterThan(60);
  const unknown = found.flatMap(({ file, line }) => {
    const words = line.split(/\s+/);
    let command = program;
    const flags = new Set<string>();
    let depth = 0;
    for (const word of words) {
      const next = command.commands.find((one) => one.name() === word);
      if (next === undefined) break;
      command = next;
      depth += 1;
      for (const { long, short } of command.options)
        for (const flag of [long, short]) if (flag) flags.add(flag);
    }
    // A group of commands has none of its own; NAME stands for any of them, and some groups have one that need not be named.
    const rest = words[depth] ?? "";
    const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
    const fallback = rest === "" ? undefined : command.commands.find((one) => one.name() === "serve");
    for (const { long } of fallback?.options ?? []) if (long) flags.add(long);
    if (command === program || (isGroup && !fallback && !/^[A-Z]+$/.test(rest)))
      return [`${file}: palimpsest ${line}: no such command`];
    return words
      .map((word) => /^(--?[a-z][a-z-]*)/.exec(word)?.[1] ?? "")
      .filter((flag) => flag !== "" && !flags.has(flag) && flag !== "--help")
      .map((flag) => `${file}: palimpsest ${line}: no ${flag}`);
  });
  expect(unknown).toEqual([]);
});

/** Every command in the documents is one of this program, with flags that it has. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { expect, it } from "vitest";
import { commands } from "./commands.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** What is in fences, a command a line: continued lines are joined, comments are gone. */
function commandsOf(text: string): string[] {
  return [...text.matchAll(/^ *```(?:sh|bash|console|)\n([\s\S]*?)^ *```/gm)].flatMap(([, block = ""]) =>
    [...block.replaceAll(/\\\n\s*/g, " ").matchAll(/^ *(?:\$ )?.*?\bpalimpsest (?=[a-z-])([^\n]*)$/gm)]
      .filter(([line]) => /^ *(\$ )?([A-Z_]+=\S+ )*(npx )?palimpsest /.test(line))
      .map(([, rest = ""]) => rest.replace(/ +#.*$/, "").replace(/ [|>;&].*$/, "")),
  );
}

const files = [
  "README.md",
  ...markdownBelow("docs"),
  ...markdownBelow("recipes"),
  ...markdownBelow("packages"),
];

function markdownBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist") return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownBelow(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

it("has the commands and flags of every document", async () => {
  const program = new Command();
  for (const load of Object.values(commands)) (await load())(program);
  const found = files.flatMap((file) =>
    commandsOf(readFileSync(join(root, file), "utf8")).map((line) => ({ file, line })),
  );
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
    const isDefault = command.commands.some((one) => one.name() === "serve") && rest !== "";
    if (command === program || (isGroup && !isDefault && !/^[A-Z]+$/.test(rest)))
      return [`${file}: palimpsest ${line}: no such command`];
    return words
      .map((word) => /^(--?[a-z][a-z-]*)/.exec(word)?.[1] ?? "")
      .filter((flag) => flag !== "" && !flags.has(flag) && flag !== "--help")
      .map((flag) => `${file}: palimpsest ${line}: no ${flag}`);
  });
  expect(unknown).toEqual([]);
});

import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { shellWord } from "@palimpsest/std";
import type { Command } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { documentPath } from "../../installation/document-path.js";
import { checkoutFolder } from "../../installation/own-tarballs.js";
import { type TemplateKind, writeTemplate } from "./template.js";

const descriptions: Readonly<Record<TemplateKind, string>> = {
  agent: "creates an agent and a reward in TypeScript, and a recipe that trains them within a minute",
  reward: "creates a reward in TypeScript, and a recipe that trains an included agent with it",
  project: "creates a TypeScript project with an actor program, an agent, a recipe and tests",
};

/** What each command of `new` prints. */
const newOutput = new JsonOutput(() =>
  z.strictObject({ folder: z.string(), files: z.array(z.string()).describe("relative to the folder") }),
);

interface NewFlags {
  readonly folder?: string;
  readonly json?: boolean;
}

/** Writes templates of an agent, a reward or a project. */
export function addNew(program: Command): void {
  const group = program.command("new").description("creates a project of your own from a template");
  for (const kind of ["agent", "reward", "project"] as const)
    group
      .command(kind)
      .description(descriptions[kind])
      .argument("<name>", "lower-case letters, digits and dashes")
      .option("--folder <folder>", "destination, new or empty; default: a new folder with that name")
      .addOption(newOutput.option())
      .action((name: string, { folder = name, json }: NewFlags) => {
        const target = writeTemplate(kind, name, folder);
        if (json) return newOutput.print({ folder: target, files: filesIn(target) });
        const shown = shellWord(relative(process.cwd(), target) || ".");
        const next = kind === "project" ? nextInProject(shown) : nextOfRecipe(shown);
        process.stdout.write(`${[`wrote ${target}`, ...next].join("\n")}\n`);
      });
}

function nextOfRecipe(folder: string): string[] {
  const recipe = folder.endsWith("'") ? `${folder.slice(0, -1)}/recipe.yaml'` : `${folder}/recipe.yaml`;
  return [
    `check it:         npx palimpsest train --dry-run ${recipe}`,
    `train and debug:  npx palimpsest train --in-process ${recipe}`,
    `${documentPath("guides/your-own-agent.md")} describes further options.`,
  ];
}

function nextInProject(folder: string): string[] {
  const packed =
    checkoutFolder === undefined
      ? []
      : [`(cd ${shellWord(checkoutFolder)} && npm run pack)   # its packages`];
  return [
    "next:",
    ...[...packed, `cd ${folder}`, "npm install", "npm start", "npm test", "npm run train"].map(
      (line) => `  ${line}`,
    ),
  ];
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

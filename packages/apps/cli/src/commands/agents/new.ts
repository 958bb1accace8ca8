import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { shellWord } from "@palimpsest/std";
import { builtinRecipesDir } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { documentPath } from "../../installation/document-path.js";

const namePattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** What each command of `new` prints. */
const newOutput = new JsonOutput(() =>
  z.strictObject({ folder: z.string(), files: z.array(z.string()).describe("relative to the folder") }),
);

/** Writes the templates of an agent, a reward and a recipe. */
export function addNew(program: Command): void {
  program
    .command("new")
    .description("creates a project of your own from a template")
    .command("agent")
    .description("creates an agent and a reward in TypeScript, and a recipe that trains them within a minute")
    .argument("<name>", "lower-case letters, digits and dashes")
    .option("--folder <folder>", "destination; default: a new folder with that name")
    .addOption(newOutput.option())
    .action(
      (name: string, { folder = name, json }: { readonly folder?: string; readonly json?: boolean }) => {
        if (!namePattern.test(name))
          throw new PalimpsestError(
            "INVALID_ARGUMENT",
            `name is ${JSON.stringify(name)}; use lower-case letters, digits and dashes`,
          );
        const target = resolve(folder);
        if (existsSync(target))
          throw new PalimpsestError(
            "ALREADY_EXISTS",
            `${target} already exists; name another folder with --folder`,
          );
        cpSync(join(builtinRecipesDir, "templates/agent"), target, { recursive: true });
        for (const file of readdirSync(target)) {
          const path = join(target, file);
          writeFileSync(path, readFileSync(path, "utf8").replaceAll("my-agent", name));
        }
        if (json) return newOutput.print({ folder: target, files: readdirSync(target).sort() });
        const recipe = relative(process.cwd(), join(target, "recipe.yaml"));
        process.stdout.write(
          [
            `${target}: agent.ts, reward.ts, recipe.yaml`,
            `check them:       npx palimpsest train --dry-run ${shellWord(recipe)}`,
            `train and debug:  npx palimpsest train --in-process ${shellWord(recipe)}`,
            `${documentPath("guides/your-own-agent.md")} describes further options.`,
            "",
          ].join("\n"),
        );
      },
    );
}

import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { jsonSchemaOf, verbsOf } from "../../display/verbs.js";
import { orMeant } from "../../input/unknown-value.js";

export function addSchema(program: Command): void {
  program
    .command("schema")
    .description(
      "prints the JSON Schema of what a command prints with --json, or the names of those commands",
    )
    .argument("[command...]", "such as `job submit`; none: lists all that print JSON")
    .action((words: readonly string[]) => {
      const name = words.join(" ");
      const verbs = verbsOf(program);
      if (name === "") {
        const names = verbs.flatMap((verb) => (verb.json === undefined ? [] : [verb.name]));
        process.stdout.write(`${names.join("\n")}\n`);
        return;
      }
      const verb = verbs.find((one) => one.name === name);
      if (verb === undefined) {
        const known = verbs.map((one) => one.name);
        const inGroup = known.filter((one) => one.startsWith(`${name} `));
        const fix =
          inGroup.length > 0
            ? `; its commands are ${inGroup.join(", ")}`
            : orMeant(name, known) || "; `palimpsest schema` lists those that print JSON";
        throw new PalimpsestError("INVALID_ARGUMENT", `there is no command ${JSON.stringify(name)}${fix}`);
      }
      if (verb.json === undefined)
        throw new PalimpsestError("INVALID_ARGUMENT", `${name} has no --json: ${verb.whyNoJson}`);
      const schema = { title: titleOf(verb.name, verb.json), ...jsonSchemaOf(verb.json) };
      process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
    });
}

const titleOf = (name: string, { isLines }: { readonly isLines: boolean }) =>
  `${isLines ? "a line" : "the output"} of palimpsest ${name} --json`;

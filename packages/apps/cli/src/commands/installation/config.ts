import type { Command } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withConnection } from "../../cluster/connection.js";
import { JsonOutput } from "../../display/json-output.js";
import { formatTable } from "../../display/table.js";
import { findSettings } from "../../installation/settings.js";

const output = new JsonOutput(() =>
  z.array(
    z.strictObject({
      name: z.string(),
      what: z.string(),
      value: z.string().nullable().describe("null: there is none; of a secret only its length"),
      from: z.string().nullable().describe("the flag, variable or file that says it; null: nothing does"),
      overrides: z
        .array(z.strictObject({ from: z.string(), value: z.string() }))
        .describe("what says something, too, without effect"),
      order: z.array(z.string()).describe("where it is looked for; the first that says something wins"),
    }),
  ),
);

export function addConfig(program: Command): void {
  const config = program.command("config").description("settings of commands on this machine");
  withConnection(config.command("show"))
    .description("shows each setting, where it comes from, and what it overrides; secrets are hidden")
    .addOption(output.option())
    .action((options: ConnectionOptions & { readonly json?: boolean }) => {
      const { json, ...given } = options;
      const found = findSettings(given, process.env);
      if (json) return output.print(found);
      const rows = found.map(({ name, value, from, overrides }) => [
        name,
        value ?? "(none)",
        from ?? "",
        overrides.map((other) => `${other.from}: ${other.value}`).join("; "),
      ]);
      process.stdout.write(`${formatTable(["setting", "value", "from", "overrides"], rows)}\n`);
    });
}

import type { Command } from "commander";
import { formatTable } from "../table.js";

export function addModel(program: Command): void {
  const model = program.command("model").description("model folders");
  model
    .command("info")
    .description("what a model folder holds")
    .argument("<folder>", "config.json, model.safetensors and tokenizer.json")
    .option("--json", "as JSON")
    .action(async (folder: string, options: { json?: boolean }) => {
      const { hashWeights, loadModel, parameterCount } = await import("@palimpsest/model");
      const { config, parameters } = await loadModel(folder);
      const facts = { ...config, parameters: parameterCount(config), weightsHash: hashWeights(parameters) };
      const rows = Object.entries(facts).map(([name, value]) => [
        name,
        typeof value === "object" ? JSON.stringify(value) : String(value),
      ]);
      process.stdout.write(
        `${options.json ? JSON.stringify(facts, null, 2) : formatTable(["field", "value"], rows)}\n`,
      );
    });
}

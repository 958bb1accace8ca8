import type { Command } from "commander";
import { addEvalLongQa } from "./eval-longqa.js";

export function addEval(program: Command): void {
  const command = program
    .command("eval")
    .description("evaluates memory agents beside baselines: one table with intervals and paired tests");
  addEvalLongQa(command);
}

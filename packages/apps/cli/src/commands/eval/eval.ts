import type { Command } from "commander";
import { addEvalLocomo } from "./eval-locomo.js";
import { addEvalLongQa } from "./eval-longqa.js";
import { addEvalRuler } from "./eval-ruler.js";
import { addEvalRulerHqa } from "./eval-ruler-hqa.js";
import { addEvalStream } from "./eval-stream.js";

export function addEval(program: Command): void {
  const command = program
    .command("eval")
    .description("evaluates memory agents and baselines: one table with intervals and paired tests");
  addEvalRulerHqa(command);
  addEvalRuler(command);
  addEvalLongQa(command);
  addEvalLocomo(command);
  addEvalStream(command);
}

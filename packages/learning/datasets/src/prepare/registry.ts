import { shownValue } from "@palimpsest/std/input";
import { DatasetError } from "../error.js";
import { hotpotQuestion } from "../questions/hotpot-question.js";
import { musiqueQuestion } from "../questions/musique-question.js";
import { squadQuestions } from "../questions/squad-question.js";
import { beam } from "./beam.js";
import { jsonl } from "./jsonl.js";
import { locomo } from "./locomo.js";
import { longMemEval } from "./longmemeval.js";
import { memoryAgentBench } from "./memory-agent-bench.js";
import { mix } from "./mix.js";
import type { Preparer } from "./preparer.js";
import { questionPreparer } from "./question-preparer.js";
import { restore } from "./restore.js";
import { ruler } from "./ruler.js";
import { rulerHqa } from "./ruler-hqa.js";
import { generatedWorld } from "./world.js";

/** Everything that `palimpsest data prepare` can prepare, in the order of its help. */
export const preparers: readonly Preparer[] = [
  questionPreparer({
    name: "hotpotqa",
    summary: "HotpotQA (distractor), or contexts built from it: MemAgent's parquet files, vime's JSONL files",
    read: (value) => [hotpotQuestion(value)],
  }),
  // Its rows have HotpotQA's format.
  questionPreparer({
    name: "2wikimultihopqa",
    summary: "2WikiMultiHopQA, with the other names of its answers in id_aliases.json",
    read: (value) => [hotpotQuestion(value)],
  }),
  questionPreparer({
    name: "musique",
    summary: "MuSiQue (answerable questions), with the evidence in the order of the hops",
    read: (value) => [musiqueQuestion(value)],
  }),
  questionPreparer({
    name: "squad",
    summary: "SQuAD v1.1 or v2 (answerable questions), XQuAD",
    read: squadQuestions,
  }),
  mix,
  rulerHqa,
  ruler,
  generatedWorld,
  locomo,
  longMemEval,
  memoryAgentBench,
  beam,
  restore,
  jsonl,
];

/**
 * Returns the preparer with this name.
 * @throws {DatasetError} BAD_CONFIG if there is none
 */
export function preparerByName(name: string): Preparer {
  const preparer = preparers.find((known) => known.name === name);
  if (preparer !== undefined) return preparer;
  const known = preparers.map((one) => one.name).join(", ");
  const refused = `data set: ${shownValue(name)} is unknown; use one of ${known}`;
  throw new DatasetError("BAD_CONFIG", refused, { name: shownValue(name) });
}

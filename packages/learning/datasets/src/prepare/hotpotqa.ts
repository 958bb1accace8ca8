import { hotpotQuestion } from "../questions/hotpot-question.js";
import { questionPreparer } from "./question-preparer.js";

/** HotpotQA in its own schema or the hub's, or as contexts in MemAgent's parquet or vime's JSON lines. */
export const hotpotqa = questionPreparer({
  name: "hotpotqa",
  summary: "HotpotQA (distractor), or contexts built from it: MemAgent's parquet files, vime's JSONL files",
  read: (value) => [hotpotQuestion(value)],
});

/** 2WikiMultiHopQA, whose rows have HotpotQA's format. */
export const twoWikiMultihopqa = questionPreparer({
  name: "2wikimultihopqa",
  summary: "2WikiMultiHopQA, with the other names of its answers in id_aliases.json",
  read: (value) => [hotpotQuestion(value)],
});

import { evidenceSection, memorySection, qaScorer } from "@palimpsest/evals";
import type { Command } from "commander";
import { type EvalFlags, readEvalSettings, withEvalFlags } from "../../eval/eval-flags.js";
import { runEvaluation } from "../../eval/eval-run.js";
import { type QuestionFlags, readQuestionItems, withQuestionFlags } from "../../eval/question-flags.js";

export function addEvalLongQa(command: Command): void {
  const longQa = command
    .command("longqa")
    .description(
      "questions over contexts of many documents: HotpotQA, 2WikiMultiHopQA, MuSiQue, or prepared ones",
    );
  withEvalFlags(withQuestionFlags(longQa)).action(async (flags: EvalFlags & QuestionFlags) => {
    const settings = readEvalSettings(flags);
    await runEvaluation(
      {
        suite: "longqa",
        title: "Questions over long contexts",
        ...(await readQuestionItems(flags, "longqa")),
        scorer: qaScorer(settings.answer),
        usual: [
          "memagent",
          "rememr1",
          "rememr1-no-recall",
          "full-context",
          "truncated",
          "rag-bm25",
          "rag-embedding",
        ],
        sections: (run) => [...evidenceSection(run), ...memorySection(run)],
      },
      flags,
      settings,
    );
  });
}

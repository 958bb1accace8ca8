import { evidenceSection, qaScorer } from "@palimpsest/evals";
import type { Command } from "commander";
import { type EvalFlags, readEvalSettings, withEvalFlags } from "../../eval/eval-flags.js";
import { runEvaluation } from "../../eval/eval-run.js";
import { type QuestionFlags, readQuestionItems, withQuestionFlags } from "../../eval/question-flags.js";

export function addEvalRulerHqa(command: Command): void {
  const rulerHqa = command
    .command("ruler-hqa")
    .description(
      "RULER-HQA, MemAgent's evaluation: the same HotpotQA questions in contexts of 50 to 25600 documents",
    );
  withEvalFlags(withQuestionFlags(rulerHqa))
    .addHelpText(
      "after",
      "\nInputs are the official files (eval_50.json …; from 12800 documents up with --corpus) or HotpotQA's rows, which are" +
        "\nbuilt into contexts of --lengths documents. Official scores are sub-EM; only the first right answer counts there" +
        "\n(--set answer.golds=first). Failed and empty answers are wrong.",
    )
    .action(async (flags: EvalFlags & QuestionFlags) => {
      const settings = readEvalSettings(flags);
      await runEvaluation(
        {
          suite: "ruler-hqa",
          title: "RULER-HQA",
          ...(await readQuestionItems(flags, "hotpotqa")),
          scorer: qaScorer({ ...settings.answer, primary: settings.answer.primary ?? "subExactMatch" }),
          usual: ["memagent", "full-context", "truncated", "rag-bm25"],
          sections: evidenceSection,
        },
        flags,
        settings,
      );
    });
}

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type LocomoConversation, readLocomoConversation } from "@palimpsest/datasets";
import { locomoItems, locomoScorer, parseWrongAnswers, withoutWrongAnswers } from "@palimpsest/evals";
import { createJudge } from "@palimpsest/rewards";
import { parseJson, reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { printableLine } from "../../display/printable.js";
import { type EvalFlags, readEvalSettings, withEvalFlags } from "../../eval/eval-flags.js";
import { runEvaluation } from "../../eval/eval-run.js";
import { parseWhole } from "../../input/key-values.js";

interface LocomoFlags extends EvalFlags {
  readonly input: string;
  readonly split: "train" | "test" | "all";
  readonly records: readonly ("observation" | "event" | "dialogue")[];
  readonly adversarial: boolean;
  readonly wrongAnswers?: string;
  readonly dataSeed: number;
  readonly judge?: string;
  readonly judgeModel?: string;
}

const recordSources = ["observation", "event", "dialogue"] as const;

export function addEvalLocomo(command: Command): void {
  const locomo = command
    .command("locomo")
    .description(
      "LoCoMo: questions about long conversations, from a store of memories that agents may change",
    )
    .requiredOption("--input <locomo10.json>", "the conversations")
    .addOption(
      new Option("--split <name>", "conversations of MemUpdate's split")
        .choices(["train", "test", "all"])
        .default("test"),
    )
    .addOption(
      new Option("--records <sources...>", "sources of the store's records")
        .choices([...recordSources])
        .default(["observation"]),
    )
    .addOption(new Option("--adversarial").default(true).hideHelp())
    .option("--no-adversarial", "leaves out questions that the conversation does not answer")
    .option(
      "--wrong-answers <file>",
      "ids of questions whose answers are known to be wrong, such as conv-26-q17, as a JSON array or one per line; they are scored apart",
    )
    .option("--data-seed <n>", "seed of the order of options of adversarial questions", parseWhole, 0)
    .option(
      "--judge <url>",
      "URL of an OpenAI-compatible server that judges answers; its key comes from OPENAI_API_KEY",
    )
    .option("--judge-model <name>", "the server's name for the judge");
  withEvalFlags(locomo)
    .addHelpText("after", "\n--limit counts questions per category of each conversation.")
    .action(async (flags: LocomoFlags) => {
      const settings = readEvalSettings(flags);
      const { split, records, dataSeed: seed, limit, adversarial } = flags;
      const wrongAnswers = readWrongAnswers(flags.wrongAnswers);
      const items = locomoItems(readConversations(flags.input), {
        split,
        records,
        adversarial,
        seed,
        ...(wrongAnswers ? { wrongAnswers } : {}),
        ...(limit === undefined ? {} : { limit }),
      });
      const judge = await openJudge(flags);
      await runEvaluation(
        {
          suite: "locomo",
          title: "LoCoMo",
          items,
          scorer: locomoScorer({ form: settings.answer.form, ...(judge ? { judge } : {}) }),
          usual: ["memupdate", "rag-bm25", "rag-embedding", "full-context", "truncated", "closed-book"],
          sections: withoutWrongAnswers,
          facts: { data: basename(flags.input), split, records: records.join(", "), "data seed": seed },
        },
        flags,
        settings,
      );
    });
}

function readWrongAnswers(path: string | undefined): ReadonlySet<string> | undefined {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `--wrong-answers: "${path}" cannot be read (${reasonText(cause)}); give a file of ids`,
      { cause },
    );
  }
  return parseWrongAnswers(text);
}

function readConversations(path: string): LocomoConversation[] {
  const bad = (reason: string, cause?: unknown) =>
    new PalimpsestError("CONFIG_INVALID", `input: "${path}" ${reason}; give LoCoMo's locomo10.json`, {
      cause,
    });
  let rows: unknown;
  try {
    rows = parseJson(readFileSync(path, "utf8"));
  } catch (cause) {
    throw bad(`cannot be read (${reasonText(cause)})`, cause);
  }
  if (!Array.isArray(rows)) throw bad("is not a JSON array of conversations");
  return rows.map((row: unknown, i) => {
    const read = readLocomoConversation(row);
    if ("reason" in read) throw bad(`has an invalid conversation at index ${i} (${read.detail})`);
    const [first] = read.data.badQuestions;
    if (first) {
      const left = `${read.data.badQuestions.length} questions of ${read.data.id} are left out`;
      process.stderr.write(`${printableLine(`${left}, the first: ${first.detail}`)}\n`);
    }
    return read.data;
  });
}

async function openJudge({ judge: url, judgeModel: model }: LocomoFlags) {
  if (url === undefined) return undefined;
  const { ChatEndpoint } = await import("@palimpsest/engines");
  const apiKey = process.env["OPENAI_API_KEY"];
  const endpoint = new ChatEndpoint({
    url,
    ...(model === undefined ? {} : { model }),
    ...(apiKey ? { apiKey } : {}),
  });
  return { name: model ?? url, judge: createJudge(endpoint) };
}

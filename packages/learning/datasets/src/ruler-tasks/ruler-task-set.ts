import { parseInput } from "@palimpsest/std/input";
import { createRandom } from "@palimpsest/std/random";
import { DatasetError } from "../error.js";
import type { CountTokens } from "../tasks/count-tokens.js";
import type { StreamedTask } from "../tasks/streamed-task.js";
import { type RulerTasksConfig, type RulerTasksInput, rulerTasksConfigSchema } from "./config.js";
import { type Draft, type DraftInput, tokensOfPieces } from "./draft.js";
import { generatedProse, type HaystackText } from "./haystack-text.js";
import { needleTask } from "./needle-task.js";
import { questionTask } from "./question-task.js";
import type { RulerQuestions } from "./questions.js";
import { type RulerTaskName, rulerTaskFacts } from "./task-name.js";
import { estimateTokens, type TokenCounter, tokenCounter } from "./token-counter.js";
import { variableTask } from "./variable-task.js";
import { commonWordsTask, frequentWordsTask } from "./word-list-tasks.js";

/** What RULER's tasks are made of: a token counter, texts and questions. */
export interface RulerTaskSources {
  readonly countTokens?: CountTokens;
  /** The text in which tasks with an essay hide their needles; absent: generated prose. */
  readonly essay?: HaystackText;
  /** The questions of qa_1. */
  readonly squad?: RulerQuestions;
  /** The questions of qa_2. */
  readonly hotpotqa?: RulerQuestions;
}

/**
 * Generates RULER's 13 tasks (NVIDIA/RULER, arXiv:2404.06654) at any length, task by task, then length by length.
 * Structure and parameters are RULER's and the sentences are ours; vt and cwe have no worked example. Documents are
 * generated when they are read, and only what is asked is kept in memory. Task i of a name and length depends on seed,
 * name, length and i only.
 *
 * Metadata: `task`, `length` (nominal), `lengthTokens` (of the document, counted), `rule` ("all": every answer is
 * required, "part": one is enough), `replyTokens`, `depthPercent` of the first requested item and `depthPercents` of
 * all of them.
 *
 * @throws {DatasetError} BAD_CONFIG
 */
export function* rulerTaskSet(
  input: RulerTasksInput,
  sources: RulerTaskSources = {},
): IterableIterator<StreamedTask> {
  const config = parseInput(
    rulerTasksConfigSchema,
    input,
    (problem, cause) => new DatasetError("BAD_CONFIG", `ruler settings: ${problem}`, {}, cause),
  );
  const counter = tokenCounter(sources.countTokens ?? estimateTokens(config.charactersPerToken));
  for (const name of new Set(config.tasks)) {
    for (const length of new Set(config.lengths)) {
      for (let index = 0; index < config.count; index++) {
        yield taskOf(name, length, index, config, sources, counter);
      }
    }
  }
}

function taskOf(
  name: RulerTaskName,
  length: number,
  index: number,
  config: RulerTasksConfig,
  sources: RulerTaskSources,
  counter: TokenCounter,
): StreamedTask {
  const { rule, replyTokens } = rulerTaskFacts(name);
  const questions = name === "qa_1" ? sources.squad : sources.hotpotqa;
  const seed = `${config.seed}/${name}/${length}/${index}`;
  const draftWithin = (budgetTokens: number) =>
    draftOf({
      name,
      seed,
      index,
      config,
      counter,
      budgetTokens,
      random: createRandom(seed),
      essay: sources.essay ?? generatedProse(),
      ...(questions ? { questions } : {}),
    });

  const mostTokens = length - replyTokens;
  let budget = mostTokens;
  let draft = draftWithin(budget);
  let tokens = tokensOfPieces(draft.pieces(), counter);
  // Sentences are counted in isolation. If the combined text has more tokens than their sum, the budget is reduced by
  // the difference.
  while (tokens + counter.count(draft.question) > mostTokens) {
    budget -= tokens + counter.count(draft.question) - mostTokens;
    draft = draftWithin(budget);
    tokens = tokensOfPieces(draft.pieces(), counter);
  }
  const { depthPercents } = draft;
  return {
    id: `ruler-${name}-${length}-${config.seed}-${index}`,
    question: draft.question,
    answers: draft.answers,
    metadata: {
      dataSource: "ruler",
      ...draft.metadata,
      task: name,
      length,
      lengthTokens: tokens,
      rule,
      replyTokens,
      ...(depthPercents?.[0] === undefined
        ? {}
        : { depthPercent: depthPercents[0], depthPercents: depthPercents.join(" ") }),
    },
    pieces: draft.pieces,
  };
}

function draftOf(input: DraftInput): Draft {
  const facts = rulerTaskFacts(input.name);
  switch (facts.family) {
    case "needle":
      return needleTask(input, facts);
    case "variables":
      return variableTask(input);
    case "common-words":
      return commonWordsTask(input);
    case "frequent-words":
      return frequentWordsTask(input);
    case "questions":
      return questionTask(input);
  }
}

import type { MemoryStore } from "@palimpsest/memory";
import { type LocomoCategory, locomoCategories, type Probe } from "@palimpsest/trajectories/records";
import { afterThinking } from "../answer-text.js";
import { openTextModel, type Reader, type RewardDependencies, type TextModel } from "../dependencies.js";
import { RewardError } from "../error.js";
import { createJudge } from "../judge/judge.js";
import { locomoF1, pricedLocomoF1 } from "../locomo/answer-f1.js";
import { bestSpanF1 } from "./best-span.js";
import type { MemUpdateRewardConfig, StoreScoreConfig } from "./config.js";
import { type RetrievalBudget, retrievedLines } from "./retrieved-lines.js";

/**
 * Returns how well a store answers a question from what is retrieved within a number of tokens, in [0, 1]; null when
 * this method cannot score such a question.
 */
export type StoreScore = (
  store: MemoryStore,
  probe: Probe,
  budget: RetrievalBudget,
  signal?: AbortSignal,
) => Promise<number | null>;

type LineScore = (lines: readonly string[], probe: Probe, signal?: AbortSignal) => Promise<number | null>;

/** @throws {RewardError} BAD_CONFIG when it needs a model that cannot be opened */
export function storeScore(config: MemUpdateRewardConfig, dependencies: RewardDependencies): StoreScore {
  const scoreLines = lineScore(config.score, dependencies);
  const { denseWeight } = config;
  return async (store, probe, budget, signal) => {
    const lines = await retrievedLines(store, probe.question, { ...budget, denseWeight }, signal);
    return await scoreLines(lines, probe, signal);
  };
}

/** Returns the LoCoMo category of a probe. Other probes are compared as whole answers. */
export function categoryOf({ category, answers }: Pick<Probe, "category" | "answers">): LocomoCategory {
  if (answers.length === 0) return "adversarial";
  return locomoCategories.find((name) => name === category) ?? "single-hop";
}

function lineScore(config: StoreScoreConfig, dependencies: RewardDependencies): LineScore {
  switch (config.by) {
    case "span":
      return async (lines, probe) => {
        const category = categoryOf(probe);
        if (category === "adversarial") return null;
        return best(probe.answers, (answer) => bestSpanF1(lines, category, answer, config));
      };
    case "reader":
      return readerScore(openReader(config, dependencies), config.perToken);
    case "answer": {
      const answer = answerer(
        openTextModel("score.answerer", config.answerer, dependencies),
        config.maxTokens,
      );
      return async (lines, probe, signal) => {
        const said = await answer(lines, probe.question, signal);
        const category = categoryOf(probe);
        if (category === "adversarial") return locomoF1(category, said, null);
        return best(probe.answers, (gold) => pricedLocomoF1(category, said, gold));
      };
    }
    case "judge": {
      const answer = answerer(
        openTextModel("score.answerer", config.answerer, dependencies),
        config.maxTokens,
      );
      const model = openTextModel("score.judge.endpoint", config.judge.endpoint, dependencies);
      const judge = createJudge(model, config.judge);
      return async (lines, { question, answers }, signal) => {
        const prediction = await answer(lines, question, signal);
        return (await judge.judge({ question, answers, prediction }, signal)) ? 1 : 0;
      };
    }
  }
}

const best = (answers: readonly string[], score: (answer: string) => number): number =>
  Math.max(...answers.map(score));

/** Builds the prompt for the model that answers. */
function answerPrompt(lines: readonly string[], question: string): string {
  const found = lines.length === 0 ? "(none)" : lines.map((line) => `- ${line}`).join("\n");
  return (
    `Memories:\n${found}\n\nAnswer the question from the memories alone, in as few words as possible. ` +
    `If they do not tell, answer: not mentioned.\n\nQuestion: ${question}\nAnswer:`
  );
}

function answerer(model: TextModel, maxTokens: number) {
  return async (
    lines: readonly string[],
    question: string,
    signal: AbortSignal | undefined,
  ): Promise<string> => {
    try {
      const { text } = await model.generateText({
        messages: [{ role: "user", content: answerPrompt(lines, question) }],
        maxTokens,
        temperature: 0,
        ...(signal ? { signal } : {}),
      });
      return afterThinking(text).trim();
    } catch (reason) {
      signal?.throwIfAborted();
      const message = reason instanceof Error ? reason.message : String(reason);
      throw new RewardError("UNREACHABLE", `score.answerer: ${message}`, reason);
    }
  };
}

function readerScore(reader: Reader, perToken: boolean): LineScore {
  return async (lines, { question, answers }, signal) => {
    if (answers.length === 0) return null;
    const prompt = answerPrompt(lines, question);
    let highest = 0;
    for (const gold of answers) {
      const { logprob, tokens } = await reader.logLikelihood({
        prompt,
        answer: ` ${gold}`,
        ...(signal ? { signal } : {}),
      });
      highest = Math.max(highest, Math.exp(perToken ? logprob / Math.max(1, tokens) : logprob));
    }
    return highest;
  };
}

function openReader(
  { reader }: Extract<StoreScoreConfig, { by: "reader" }>,
  { openReader: open }: RewardDependencies,
): Reader {
  if (open !== undefined) return open(reader);
  throw new RewardError(
    "BAD_CONFIG",
    `score.reader: needs the model "${reader.path}", which this program does not open; pass \`openReader\``,
  );
}

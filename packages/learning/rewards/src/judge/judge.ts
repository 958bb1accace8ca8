import { createHash } from "node:crypto";
import { z } from "zod";
import { modelEndpointSchema, type TextModel } from "../dependencies.js";
import { RewardError } from "../error.js";
import { type JudgedAnswer, judgePrompt, noVerdict, readVerdict } from "./judge-prompt.js";

/** How a language model judges answers. */
export const judgeSchema = z.strictObject({
  endpoint: modelEndpointSchema.describe("server of the judge's model"),
  maxTokens: z.int().min(8).default(256).describe("most tokens of one verdict, including its reasoning"),
  maxAttempts: z
    .int()
    .min(1)
    .default(3)
    .describe("most requests about one answer, until the judge returns a verdict that can be read"),
  cacheSize: z.int().min(0).default(4096).describe("number of verdicts that are cached"),
});
export type JudgeConfig = z.output<typeof judgeSchema>;

/** Decides whether an answer is right. */
export interface Judge {
  /** @throws {RewardError} UNREACHABLE, BAD_REPLY; the signal's reason. It never makes up a verdict. */
  judge(answer: JudgedAnswer, signal?: AbortSignal): Promise<boolean>;
}

/**
 * Creates a judge from a language model at temperature 0. When a reply has no clear verdict, the judge is asked again,
 * with its reply and the required form; an answer that still gets none is an error. Equal questions are asked once.
 */
export function createJudge(model: TextModel, limits: Partial<Omit<JudgeConfig, "endpoint">> = {}): Judge {
  const { maxTokens = 256, maxAttempts = 3, cacheSize = 4096 } = limits;
  const verdicts = new Map<string, boolean>();
  const ask = async (answer: JudgedAnswer, signal: AbortSignal | undefined): Promise<boolean> => {
    const messages = [{ role: "user", content: judgePrompt(answer) }];
    let reply = "";
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      signal?.throwIfAborted();
      reply = await replyOf(model, messages, { maxTokens, ...(signal ? { signal } : {}) });
      const verdict = readVerdict(reply);
      if (verdict !== null) return verdict;
      messages.splice(1, 2, { role: "assistant", content: reply }, { role: "user", content: reminder });
    }
    throw noVerdict(reply, maxAttempts);
  };
  return {
    async judge(answer, signal) {
      const { question, answers, prediction } = answer;
      const key = createHash("sha256")
        .update(JSON.stringify([question, answers, prediction]))
        .digest("base64");
      const known = verdicts.get(key);
      if (known !== undefined) return known;
      const verdict = await ask(answer, signal);
      verdicts.set(key, verdict);
      // The oldest verdicts are dropped first.
      for (const oldest of verdicts.keys()) {
        if (verdicts.size <= cacheSize) break;
        verdicts.delete(oldest);
      }
      return verdict;
    },
  };
}

const reminder = 'Reply with one line alone: "VERDICT: CORRECT" or "VERDICT: WRONG".';

async function replyOf(
  model: TextModel,
  messages: readonly { readonly role: string; readonly content: string }[],
  settings: { readonly maxTokens: number; readonly signal?: AbortSignal },
): Promise<string> {
  try {
    return (await model.generateText({ messages, temperature: 0, ...settings })).text;
  } catch (reason) {
    settings.signal?.throwIfAborted();
    const message = reason instanceof Error ? reason.message : String(reason);
    throw new RewardError("UNREACHABLE", `judge: ${message}`, reason);
  }
}

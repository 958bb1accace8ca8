import { AgentError, type Sampler, type Tokenizer } from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";

/** A supervised row for the learner's warm start: one memory update, one answer, or one conversation with a store. */
export interface Demonstration {
  readonly kind: "memory" | "final";
  /** The ids of prompt, target and stop token. */
  readonly tokenIds: readonly number[];
  /** One number per token: 1 for tokens to be trained, as target and stop token, 0 for all others, as the prompt. */
  readonly lossMask: readonly number[];
  /** False if the target is deliberately unhelpful. */
  readonly helpful: boolean;
}

/** Returns a sampler that says a script's line where a model would reply. @param lineFor gets the prompt's text */
export function scriptedSampler(tokenizer: Tokenizer, lineFor: (prompt: string) => string): Sampler {
  return {
    generate: async ({ promptTokenIds, stopTokenIds }) => {
      const line = lineFor(tokenizer.decode(promptTokenIds));
      const tokenIds = [...tokenizer.encode(` ${line}`), stopTokenIds[0] as number];
      return {
        tokenIds,
        rolloutLogprobs: tokenIds.map(() => 0),
        stopReason: "stop",
        policyVersion: 0,
        weightsHash: "",
      };
    },
  };
}

export function evidenceOf(task: Task): string[] {
  const { evidence, secondEvidence } = task.metadata as { evidence?: unknown; secondEvidence?: unknown };
  if (typeof evidence !== "string") {
    throw new AgentError(
      "BAD_CONFIG",
      `tasks: "${task.id}" has no evidence in its metadata; use tasks that a generator of this package made`,
    );
  }
  return typeof secondEvidence === "string" ? [evidence, secondEvidence] : [evidence];
}

/** Returns the sentences that are whole in a section, without the rest of one that began in the section before. */
export function wholeSentences(text: string, before: string): string[] {
  const ended = text.match(/[^.]*\.\s*?/g) ?? [];
  return before.trimEnd().endsWith(".") ? ended : ended.slice(1);
}

export const lastWord = (text: string): string => /([^\s.]+)[.\s]*$/.exec(text)?.[1] ?? text.trim();

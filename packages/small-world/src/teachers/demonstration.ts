import { AgentError } from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";

/** A supervised row: what the learner's warm start reads, one per memory update or answer. */
export interface Demonstration {
  readonly kind: "memory" | "final";
  /** Prompt, target, stop token. */
  readonly tokenIds: readonly number[];
  /** 1 on target and stop token, 0 on the prompt; one per token. */
  readonly lossMask: readonly number[];
  /** False where the target is an unhelpful memory on purpose. */
  readonly helpful: boolean;
}

export function evidenceOf(task: Task): string[] {
  const { evidence, secondEvidence } = task.metadata as { evidence?: unknown; secondEvidence?: unknown };
  if (typeof evidence !== "string") {
    throw new AgentError(
      "BAD_CONFIG",
      `tasks: "${task.id}" has no evidence in its metadata; use tasks of the ruler generator`,
    );
  }
  return typeof secondEvidence === "string" ? [evidence, secondEvidence] : [evidence];
}

/** Sentences that stand whole in a section: not the rest of one that the section before began. */
export function wholeSentences(text: string, before: string): string[] {
  const ended = text.match(/[^.]*\.\s*?/g) ?? [];
  return before.trimEnd().endsWith(".") ? ended : ended.slice(1);
}

export const lastWord = (text: string): string => /([^\s.]+)[.\s]*$/.exec(text)?.[1] ?? text.trim();

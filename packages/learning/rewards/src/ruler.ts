import { RewardError, requireAnswers } from "./error.js";
import { stripWhiteSpace } from "./white-space.js";

/**
 * all: the fraction of the references that the reply contains; part: 1 when it contains any of them. Case is ignored
 * and nothing else is normalized, so a reference also counts inside a longer word. Source: NVIDIA/RULER,
 * scripts/eval/synthetic/constants.py (string_match_all, string_match_part) and scripts/eval/evaluate.py; departs:
 * fractions of 1, not percent.
 */
export type RulerScores = { readonly all: number; readonly part: number };

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controls = /[\x00-\x1f]/g;

/** @throws {RewardError} NO_GROUND_TRUTH */
export function rulerScores(reply: string, references: readonly string[]): RulerScores {
  requireAnswers(references);
  // It is stripped before and after, as in the source: a control character at an end becomes a line feed in between.
  const text = stripWhiteSpace(stripWhiteSpace(reply).replace(controls, "\n")).toLowerCase();
  const contained = references.filter((reference) => text.includes(reference.toLowerCase())).length;
  return { all: contained / references.length, part: contained > 0 ? 1 : 0 };
}

export type RulerRule = keyof RulerScores;

/**
 * Returns how a RULER task is scored, by its name: qa_1 and qa_2 by part, all others by all.
 * @throws {RewardError} UNKNOWN_REWARD
 */
export function rulerRuleOf(task: string): RulerRule {
  if (/^qa_\d+$/.test(task)) return "part";
  if (/^(?:niah_\w+|vt|cwe|fwe)$/.test(task)) return "all";
  throw new RewardError(
    "UNKNOWN_REWARD",
    `task: "${task}" is not a RULER task; use niah_*, vt, cwe, fwe, qa_1 or qa_2`,
  );
}

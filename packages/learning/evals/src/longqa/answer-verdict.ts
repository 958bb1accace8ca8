import { namesAnswer, namesValue } from "@palimpsest/datasets";
import type { EvalItem } from "../suite/item.js";
import { refuses } from "../suite/refusal.js";

/**
 * What an answer says, by its words alone. right: names the answer, or refuses where there is none; both: names a
 * replaced value beside it; stale: names a replaced value instead; refused: says that there is no answer, where there is
 * one; wrong: anything else.
 */
export const answerVerdicts = ["right", "both", "stale", "refused", "wrong", "empty"] as const;
export type AnswerVerdict = (typeof answerVerdicts)[number];

/** Values that the item's answer replaced, of metadata `oldValues`; empty if they are not known. */
export function oldValuesOf({ metadata }: EvalItem): string[] {
  const { oldValues } = metadata;
  return typeof oldValues === "string" ? oldValues.split(" | ") : [];
}

/** @param answer the answer without what surrounds it in the reply; empty if there is none */
export function answerVerdict(item: EvalItem, answer: string): AnswerVerdict {
  if (answer.trim() === "") return "empty";
  if (item.metadata["abstention"] === true) return refuses(answer) ? "right" : "wrong";
  if (refuses(answer) && !item.answers.some(refuses)) return "refused";
  const isRight = item.answers.some((gold) => namesAnswer(answer, gold));
  if (oldValuesOf(item).some((value) => namesValue(answer, value))) return isRight ? "both" : "stale";
  return isRight ? "right" : "wrong";
}

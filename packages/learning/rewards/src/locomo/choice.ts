import { stripWhiteSpace } from "../white-space.js";

/** The two options of an adversarial question, one of which is "Not mentioned in the conversation". */
export interface TwoOptions {
  readonly a: string;
  readonly b: string;
}

/**
 * Returns what a reply to a question with two options chose, as LoCoMo's own script reads it: a reply of one character
 * is an option ("a", else b), as is one of three ("(a)", else b); any other reply is the answer itself, trimmed and in
 * lower case. Source: snap-research/LoCoMo, task_eval/gpt_utils.py, get_cat_5_answer.
 */
export function chosenOption(reply: string, options: TwoOptions): string {
  const text = stripWhiteSpace(reply).toLowerCase();
  const length = Array.from(text).length;
  if (length === 1) return text === "a" ? options.a : options.b;
  if (length === 3) return text === "(a)" ? options.a : options.b;
  return text;
}

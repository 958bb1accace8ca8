import { checkKind } from "@palimpsest/std/input";
import { RewardError } from "./error.js";

/**
 * Returns the content of the last `\boxed` of a text, or null when there is none.
 * As in the reference (BytedTsinghua-SIA/MemAgent, verl/utils/reward_score/hotpotqa.py):
 * - `\boxed` followed by a space takes precedence over every braced form and extends to the next `$` or to the end;
 * - otherwise the last `\boxed{…}` with balanced braces counts; a box that never closes makes the answer null, even
 *   when an earlier one is complete; braces count whether or not a backslash precedes them;
 * - `\fbox` is not a box, and neither is `\boxed` before anything but `{` (the reference fails an assertion there; here
 *   the answer is null).
 */
export function boxedAnswer(text: string): string | null {
  if (typeof text !== "string")
    checkKind(text, "text of boxedAnswer()", "a text", (problem) => new RewardError("BAD_REPLY", problem));
  if (text.includes("\\boxed ")) {
    const after = text.slice(text.lastIndexOf("\\boxed ") + "\\boxed ".length);
    return after.split("$", 1)[0] as string;
  }
  const start = text.lastIndexOf("\\boxed");
  const open = start + "\\boxed".length;
  if (start < 0 || text[open] !== "{") return null;
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth += 1;
    if (text[i] === "}") depth -= 1;
    if (depth === 0) return text.slice(open + 1, i);
  }
  return null;
}

/** Commands that only say how their text looks. */
const looks =
  /\\(?:text(?:bf|it|rm|sf|sl|tt|up|normal)?|math(?:bf|it|rm|sf|tt)|mbox|emph|operatorname)\s*\{([^{}]*)\}/g;
const escapes = /\\([%$&#_ ])/g;

/**
 * Returns the content of the last `\boxed` as a reader reads it: without commands that only say how text looks
 * (`\text{Paris}`) and without the backslashes of escaped signs. null when there is no box.
 */
export function boxedText(text: string): string | null {
  let content = boxedAnswer(text);
  for (let before: string | null = null; content !== null && content !== before; ) {
    before = content;
    content = content.replace(looks, "$1");
  }
  return content?.replace(escapes, "$1").trim() ?? null;
}

/** Returns whether a box holds the right answer, in the form in which boxed answers are compared. */
export function isSameBoxed(box: string, gold: string): boolean {
  const wanted = normalizeBoxed(gold);
  // Of a gold such as "\\$" that form leaves nothing, and it would equal an empty box.
  return wanted === "" && gold.trim() !== "" ? box.trim() === gold.trim() : normalizeBoxed(box) === wanted;
}

/**
 * Returns the form in which boxed answers are compared (MATH-style, as in the reference): line feeds, `\!`, `\left`,
 * `\right`, `^{\circ}`, `^\circ`, `\$` and `\%` are removed; `\\` becomes `\`; `tfrac` and `dfrac` become `frac`; ` .`
 * and `{.` get a zero; then all spaces (U+0020 only) are removed. Case is kept.
 */
export function normalizeBoxed(answer: string): string {
  return answer
    .replaceAll("\n", "")
    .replaceAll("\\!", "")
    .replaceAll("\\\\", "\\")
    .replaceAll("tfrac", "frac")
    .replaceAll("dfrac", "frac")
    .replaceAll("\\left", "")
    .replaceAll("\\right", "")
    .replaceAll("^{\\circ}", "")
    .replaceAll("^\\circ", "")
    .replaceAll("\\$", "")
    .replaceAll("\\%", "")
    .replaceAll(" .", " 0.")
    .replaceAll("{.", "{0.")
    .replaceAll(" ", "");
}

/** Returns the last `count` characters (code points, as Python counts them). */
export function lastCharacters(text: string, count: number): string {
  // Twice as many UTF-16 units contain at least as many code points; a pair that is cut in half at the front falls off.
  const tail = Array.from(text.slice(-2 * count));
  return tail.slice(-count).join("");
}

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

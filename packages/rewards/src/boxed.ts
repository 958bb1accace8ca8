/**
 * What stands in the last `\boxed` of a text, null where there is none.
 *
 * As in the reference (BytedTsinghua-SIA/MemAgent, verl/utils/reward_score/hotpotqa.py):
 * - `\boxed` followed by a space wins over every braced form and runs to the next `$` or to the end;
 * - otherwise the last `\boxed{…}` with balanced braces; a box that never closes counts as none, even when
 *   an earlier one is whole; braces count without regard to backslashes;
 * - `\fbox` is no box, and neither is `\boxed` before anything but `{` (the reference stops with an
 *   assertion there; here the answer is null).
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
 * Form in which boxed answers are compared (MATH-style, as in the reference): line feeds, `\!`, `\left`,
 * `\right`, `^{\circ}`, `^\circ`, `\$`, `\%` go; `\\` becomes `\`; `tfrac` and `dfrac` become `frac`; ` .` and `{.`
 * get a zero; then all spaces (U+0020 only) go. Case is not touched.
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

/** The last `count` characters (code points, as Python counts them). */
export function lastCharacters(text: string, count: number): string {
  // Twice as many UTF-16 units hold at least as many code points; a pair cut in half at the front falls off.
  const tail = Array.from(text.slice(-2 * count));
  return tail.slice(-count).join("");
}

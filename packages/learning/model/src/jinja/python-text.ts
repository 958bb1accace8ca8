/** Python's whitespace, which has U+001C to U+001F and U+0085 and lacks U+FEFF, unlike JavaScript's. */
const space = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const leading = new RegExp(`^[${space}]+`);
const trailingOne = new RegExp(`[${space}]`);
const whitespaces = new RegExp(`[${space}]+`, "g");
export const onlyWhitespace = new RegExp(`^[${space}]+$`);
export const whitespaceClass = space;

export type Side = "both" | "left" | "right";

/** Takes whitespace, or any of the characters given, off the ends of a text. */
export function strip(text: string, side: Side, characters: string | undefined): string {
  const set = characters === undefined ? undefined : new Set(characters);
  let from = 0;
  let to = text.length;
  if (set === undefined) {
    if (side !== "right") from = leading.exec(text)?.[0].length ?? 0;
    if (side !== "left") while (to > from && trailingOne.test(text.charAt(to - 1))) to -= 1;
    return text.slice(from, to);
  }
  if (side !== "right") {
    for (const character of text) {
      if (!set.has(character)) break;
      from += character.length;
    }
  }
  while (side !== "left" && to > from) {
    const last = text.codePointAt(to - 2) ?? 0;
    const width = to - from >= 2 && last > 0xffff ? 2 : 1;
    if (!set.has(text.slice(to - width, to))) break;
    to -= width;
  }
  return text.slice(from, to);
}

/** Splits at whitespace, as `text.split()` does, at most so often, from the left or from the right. */
export function splitWhitespace(text: string, most: number, fromRight: boolean): string[] {
  const whole = strip(text, fromRight ? "right" : "left", undefined);
  if (most < 0) {
    const trimmed = strip(text, "both", undefined);
    return trimmed === "" ? [] : trimmed.split(new RegExp(`[${space}]+`));
  }
  if (whole === "") return [];
  const gaps = [...whole.matchAll(whitespaces)].filter(({ index }) => (fromRight ? true : index > 0));
  const chosen = fromRight ? gaps.slice(Math.max(0, gaps.length - most)) : gaps.slice(0, most);
  const pieces: string[] = [];
  let from = 0;
  for (const gap of chosen) {
    pieces.push(whole.slice(from, gap.index));
    from = gap.index + gap[0].length;
  }
  const rest = whole.slice(from);
  const parts = rest === "" ? pieces : [...pieces, rest];
  // What stays whole at the open end loses its outer whitespace, as in Python.
  return parts
    .map((piece, i) =>
      fromRight && i === 0 ? (strip(piece, "left", undefined).length === 0 ? "" : piece) : piece,
    )
    .filter((piece) => piece !== "")
    .map((piece, i) =>
      fromRight && i === 0 && chosen.length < gaps.length ? strip(piece, "right", undefined) : piece,
    );
}

/** Splits at a separator, at most so often (a negative number: always), from the left or from the right. */
export function splitAt(text: string, separator: string, most: number, fromRight: boolean): string[] {
  const pieces = text.split(separator);
  if (most < 0 || pieces.length <= most + 1) return pieces;
  if (fromRight) {
    const kept = pieces.length - most;
    return [pieces.slice(0, kept).join(separator), ...pieces.slice(kept)];
  }
  return [...pieces.slice(0, most), pieces.slice(most).join(separator)];
}

const separators = "\\x1c-\\x1e\\x85\\u2028\\u2029";
/** Every end of a line in Python: `splitlines` knows more of them than `\n`. */
const lineEnd = new RegExp(`\\r\\n|[\\n\\r\\v\\f${separators}]`, "g");

export function splitLines(text: string, keepEnds: boolean): string[] {
  const lines: string[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(lineEnd)) {
    lines.push(text.slice(from, keepEnds ? index + end.length : index));
    from = index + end.length;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

/** Python writes these letters in title case where JavaScript only has upper case, such as ǆ: ǅ. */
const titleCase: Readonly<Record<string, string>> = {
  Ǆ: "ǅ",
  ǅ: "ǅ",
  ǆ: "ǅ",
  Ǉ: "ǈ",
  ǈ: "ǈ",
  ǉ: "ǈ",
  Ǌ: "ǋ",
  ǋ: "ǋ",
  ǌ: "ǋ",
  Ǳ: "ǲ",
  ǲ: "ǲ",
  ǳ: "ǲ",
  ß: "Ss",
  ﬀ: "Ff",
  ﬁ: "Fi",
  ﬂ: "Fl",
  ﬃ: "Ffi",
  ﬄ: "Ffl",
  ﬅ: "St",
  ﬆ: "St",
};
const titled = (character: string) => titleCase[character] ?? character.toUpperCase();

/** The rest is lowered beside the first character, because a sigma at the end of a word depends on what stands before it. */
export function capitalize(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return text === "" ? "" : titled(first) + text.toLowerCase().slice(first.toLowerCase().length);
}

const casedRuns = /[\p{Lu}\p{Ll}\p{Lt}]+/gu;

/** `text.title()`: a capital after everything that is no letter with a case. */
export const title = (text: string): string => text.replace(casedRuns, capitalize);

export function isLower(text: string): boolean {
  return hasCase(text) && !/[\p{Lu}\p{Lt}]/u.test(text);
}

export function isUpper(text: string): boolean {
  return hasCase(text) && !/[\p{Ll}\p{Lt}]/u.test(text);
}

const hasCase = (text: string) => casedPattern.test(text);
const casedPattern = /[\p{Lu}\p{Ll}\p{Lt}]/u;

export const isTitle = (text: string): boolean => casedPattern.test(text) && title(text) === text;

export const swapCase = (text: string): string =>
  text.replace(/[\p{Lu}\p{Ll}]/gu, (letter) =>
    /\p{Lu}/u.test(letter) ? letter.toLowerCase() : letter.toUpperCase(),
  );

export function expandTabs(text: string, size: number): string {
  let column = 0;
  return text.replace(/[\t\n\r]|[^\t\n\r]+/g, (piece) => {
    if (piece === "\t") {
      const blanks = size <= 0 ? 0 : size - (column % size);
      column += blanks;
      return " ".repeat(blanks);
    }
    column = piece === "\n" || piece === "\r" ? 0 : column + [...piece].length;
    return piece;
  });
}

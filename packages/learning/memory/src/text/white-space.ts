/**
 * White space as Python's str.split() and str.strip() define it: including U+001C…U+001F and U+0085, without U+FEFF and
 * U+200B. The references are Python programs, and JavaScript's `\s` differs in those characters.
 */
const space = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const run = new RegExp(space, "u");
const ends = new RegExp(`^${space}|${space}$`, "gu");

/** Returns the words between white space. */
export const splitWords = (text: string): string[] => text.split(run).filter((word) => word !== "");

/** Returns the text without white space at its ends. */
export const stripWhiteSpace = (text: string): string => text.replace(ends, "");

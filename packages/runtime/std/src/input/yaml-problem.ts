import { shownValue } from "./shown-value.js";

/** What is wrong in YAML, and what to do about it, by the codes of the parser's errors. */
const problems: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  BAD_DQ_ESCAPE: ["a backslash in double quotes is followed by what it cannot mean", "use single quotes"],
  BAD_INDENT: [
    "the indentation is not that of the lines above, or a bracket is not closed",
    "indent the fields of one mapping equally, and close what was opened",
  ],
  BAD_SCALAR_START: ["a value begins with a sign that YAML keeps for itself", "put it in quotes"],
  BLOCK_AS_IMPLICIT_KEY: [
    "a second mapping begins inside a value",
    'put a value that contains ": " in quotes, and indent the fields of one mapping equally',
  ],
  BLOCK_IN_FLOW: ["indented lines begin inside brackets", "close the brackets first"],
  DUPLICATE_KEY: ["this name stands twice in one mapping", "keep one of the two"],
  KEY_OVER_1024_CHARS: ["a name is longer than 1024 characters", "check whether a quote or colon is missing"],
  MISSING_CHAR: ["a quote, bracket, comma or colon is missing", "close what was opened"],
  MULTILINE_IMPLICIT_KEY: ["a name goes over several lines", "check whether a colon is missing"],
  MULTIPLE_DOCS: ["a second document begins", "keep one, without ---"],
  TAB_AS_INDENT: ["a tab indents the line", "indent with spaces"],
  TAG_RESOLVE_FAILED: ["this tag, which begins with !, is unknown here", "leave it out"],
  UNEXPECTED_TOKEN: ["this cannot stand here", "check the quotes, brackets and commas before it"],
};

/**
 * Says in words why a text is not YAML, with line, column, what stands there, and the fix.
 * @returns undefined for what the parser of YAML did not throw
 */
export function yamlProblem(reason: unknown): string | undefined {
  if (!(reason instanceof Error)) return undefined;
  // Aliases are resolved after the parser has ended; one that stands in its own anchor never ends.
  if (/call stack|circular structure/.test(reason.message))
    return "an alias (*) stands inside the value that it repeats, or values are nested too deeply; write the value out";
  const [, alias] = /^Unresolved alias .*: (.*)$/.exec(reason.message) ?? [];
  if (alias !== undefined)
    return `the alias *${alias} has no anchor &${alias} before it; name one, or put the value in quotes`;
  if (reason.name !== "YAMLParseError" && reason.name !== "YAMLWarning") return undefined;
  const [head = "", ...rest] = reason.message.split("\n");
  // The mark under the line is in the last line.
  const line = rest.at(rest.findLastIndex((text) => /^ *\^/.test(text)) - 1) ?? "";
  const [, words = head, place = ""] = /^(.*?) at (line \d+, column \d+):?$/.exec(head) ?? [];
  const code: unknown = Reflect.get(reason, "code");
  const known = typeof code === "string" && Object.hasOwn(problems, code) ? problems[code] : undefined;
  const [what, fix] = known ?? [words, "correct it"];
  const shown = line.trim() === "" ? "" : ` (${shownValue(line)})`;
  return `${place === "" ? "" : `${place}${shown}: `}${what}; ${fix}`;
}

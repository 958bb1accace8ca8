import { shownValue } from "./shown-value.js";

// At most so many at a time: V8 notes each character of a repetition that it has no machine code for, and a text of tens of
// megabytes would fill its stack.
const blank = /[ \t\n\r]{1,65536}/y;
const quote = /"/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids these in texts.
const unescaped = /[^"\\\u0000-\u001f]{1,65536}/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;
const shownCharacters = 20;

/**
 * Parses JSON that a user gave.
 * @throws {SyntaxError} whose message says where the text stops being JSON and what stands there
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(jsonProblem(text), { cause });
  }
}

/**
 * Says where a text stops being JSON and what stands there, such as `"hello" stands at line 1, column 1, where a value in
 * JSON's form is expected`. The words of JSON.parse differ from version to version, and often name no position.
 */
function jsonProblem(text: string): string {
  const open: string[] = [];
  let at = 0;
  let expected: "value" | "name" | "colon" | "next" = "value";
  /** Whether the list or the object has just begun, so that it may end. */
  let isFirst = false;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at += found[0].length;
    return found !== null;
  };
  const takeText = (): boolean => {
    const start = at;
    if (!take(quote)) return false;
    while (take(unescaped) || take(escaped));
    if (take(quote)) return true;
    at = start;
    return false;
  };
  for (;;) {
    while (take(blank));
    const sign = text[at];
    const closes = sign !== undefined && sign === open.at(-1) && (expected === "next" || isFirst);
    if (closes) {
      open.pop();
      at += 1;
      expected = "next";
      isFirst = false;
      continue;
    }
    if (expected === "next" && open.length > 0 && sign === ",") {
      at += 1;
      expected = open.at(-1) === "}" ? "name" : "value";
      continue;
    }
    if (expected === "colon" && sign === ":") {
      at += 1;
      expected = "value";
      continue;
    }
    if (expected === "value" && (sign === "{" || sign === "[")) {
      open.push(sign === "{" ? "}" : "]");
      at += 1;
      expected = sign === "{" ? "name" : "value";
      isFirst = true;
      continue;
    }
    if (expected === "name" && takeText()) {
      expected = "colon";
      isFirst = false;
      continue;
    }
    if (expected === "value" && (takeText() || take(plain))) {
      expected = "next";
      isFirst = false;
      continue;
    }
    break;
  }
  const lines = text.slice(0, at).split(/\r\n|\n|\r/);
  const where = `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
  const wanted =
    expected === "next"
      ? open.length === 0
        ? "its end"
        : `a comma or ${open.at(-1)}`
      : { value: "a value in JSON's form", name: "a name in double quotes", colon: "a colon" }[expected];
  const [rest = ""] = text.slice(at, at + shownCharacters + 1).split(/[\r\n]/, 1);
  const shown = shownValue(rest.length > shownCharacters ? `${rest.slice(0, shownCharacters)}…` : rest);
  return at >= text.length
    ? `it ends at ${where}, where ${wanted} is expected`
    : `${shown} stands at ${where}, where ${wanted} is expected`;
}

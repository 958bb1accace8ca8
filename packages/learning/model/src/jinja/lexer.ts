import { TemplateSyntaxFailure } from "./failure.js";
import { onlyWhitespace, strip, whitespaceClass } from "./python-text.js";

export interface Token {
  readonly type:
    | "text"
    | "block begin"
    | "block end"
    | "variable begin"
    | "variable end"
    | "name"
    | "string"
    | "integer"
    | "float"
    | "operator"
    | "end";
  readonly value: string;
  readonly line: number;
}

const ws = `[${whitespaceClass}]`;
const tagStart = /\{[%{#]/g;
const rawStart = new RegExp(`\\{%[-+]?${ws}*raw${ws}*(?:-%\\}${ws}*|%\\})`, "y");
const rawEnd = new RegExp(`\\{%([-+]?)${ws}*endraw${ws}*(?:\\+%\\}|-%\\}${ws}*|%\\}\\n?)`, "g");
const commentEnd = new RegExp(`\\+#\\}|-#\\}${ws}*|#\\}\\n?`, "g");
const blockEnd = new RegExp(`\\+%\\}|-%\\}${ws}*|%\\}\\n?`, "y");
const variableEnd = new RegExp(`-\\}\\}${ws}*|\\}\\}`, "y");
const blank = new RegExp(`${ws}+`, "y");
const float = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const integer = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const name = /[\p{L}\p{N}\p{M}_]+/uy;
const identifier = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;
const text = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy;
const operator = /\/\/|\*\*|[=!<>]=|[-+/*%~[\](){}<>=.:|,;]/y;
const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * Splits a template into tokens as Jinja does with `trim_blocks` and `lstrip_blocks`: line ends become `\n`, one at the
 * very end is dropped, and so are the newline after a block and the blanks before it on its line.
 * @throws {TemplateSyntaxFailure}
 */
export function tokenize(template: string): Token[] {
  return new Lexer(template.replace(/\r\n?/g, "\n").replace(/\n$/, "")).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #line = 1;
  /** Whether the text that follows begins a line, because the tag before it took the newline. */
  #startsLine = true;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    for (;;) {
      tagStart.lastIndex = this.#at;
      const found = tagStart.exec(this.#source);
      if (found === null) break;
      const tag = found[0];
      const sign = this.#source.charAt(found.index + 2);
      const before = this.#source.slice(this.#at, found.index);
      this.#push("text", this.#stripped(before, sign, tag !== "{{"));
      this.#advance(found.index);
      rawStart.lastIndex = this.#at;
      const raw = tag === "{%" ? rawStart.exec(this.#source) : null;
      if (raw !== null) this.#raw(raw[0]);
      else if (tag === "{#") this.#comment();
      else this.#tag(tag, sign === "-" || sign === "+" ? 3 : 2);
    }
    this.#push("text", this.#source.slice(this.#at));
    this.#advance(this.#source.length);
    this.#tokens.push({ type: "end", value: "", line: this.#line });
    return this.#tokens;
  }

  #push(type: Token["type"], value: string): void {
    if (type !== "text" || value !== "") this.#tokens.push({ type, value, line: this.#line });
  }

  #advance(to: number): void {
    for (
      let i = this.#source.indexOf("\n", this.#at);
      i >= 0 && i < to;
      i = this.#source.indexOf("\n", i + 1)
    ) {
      this.#line += 1;
    }
    this.#at = to;
  }

  /** Takes off what a tag removes from the text before it. */
  #stripped(before: string, sign: string, isBlock: boolean): string {
    if (sign === "-") return strip(before, "right", undefined);
    if (sign === "+" || !isBlock) return before;
    const lineStart = before.lastIndexOf("\n") + 1;
    const startsLine = lineStart > 0 || this.#startsLine;
    return startsLine && onlyWhitespace.test(before.slice(lineStart)) ? before.slice(0, lineStart) : before;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    if (found !== undefined) this.#advance(this.#at + found.length);
    return found;
  }

  #ended(tag: string): void {
    this.#startsLine = tag.endsWith("\n");
  }

  #raw(start: string): void {
    const { line } = { line: this.#line };
    this.#advance(this.#at + start.length);
    this.#ended(start);
    rawEnd.lastIndex = this.#at;
    const end = rawEnd.exec(this.#source);
    if (end === null) {
      throw new TemplateSyntaxFailure("Missing end of raw directive; add {% endraw %}", line);
    }
    this.#push("text", this.#stripped(this.#source.slice(this.#at, end.index), end[1] ?? "", true));
    this.#advance(end.index + end[0].length);
    this.#ended(end[0]);
  }

  #comment(): void {
    const line = this.#line;
    commentEnd.lastIndex = this.#at + 2;
    const end = commentEnd.exec(this.#source);
    if (end === null) throw new TemplateSyntaxFailure("Missing end of comment tag; add #}", line);
    this.#advance(end.index + end[0].length);
    this.#ended(end[0]);
  }

  #tag(tag: string, length: number): void {
    const isBlock = tag === "{%";
    this.#push(isBlock ? "block begin" : "variable begin", "");
    this.#advance(this.#at + length);
    const open: string[] = [];
    const end = isBlock ? blockEnd : variableEnd;
    for (;;) {
      if (this.#match(blank) !== undefined) continue;
      const closed = open.length === 0 ? this.#match(end) : undefined;
      if (closed !== undefined) {
        this.#push(isBlock ? "block end" : "variable end", "");
        this.#ended(closed);
        return;
      }
      if (this.#at >= this.#source.length) {
        throw new TemplateSyntaxFailure(
          `unexpected end of template; close the tag with ${isBlock ? "%}" : "}}"}`,
          this.#line,
        );
      }
      this.#inner(open);
    }
  }

  #inner(open: string[]): void {
    const line = this.#line;
    const push = (type: Token["type"], value: string) => this.#tokens.push({ type, value, line });
    const number = this.#match(float);
    if (number !== undefined) return void push("float", number.replaceAll("_", ""));
    const whole = this.#match(integer);
    if (whole !== undefined) return void push("integer", whole.replaceAll("_", ""));
    const word = this.#match(name);
    if (word !== undefined) {
      if (!identifier.test(word))
        throw new TemplateSyntaxFailure(`Invalid character in identifier '${word}'`, line);
      return void push("name", word);
    }
    const quoted = this.#match(text);
    if (quoted !== undefined) return void push("string", readEscapes(quoted.slice(1, -1), line));
    const sign = this.#match(operator);
    if (sign === undefined) {
      const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
      throw new TemplateSyntaxFailure(`unexpected char ${JSON.stringify(character)}`, line);
    }
    const opposite = closing[sign];
    if (opposite !== undefined) open.push(opposite);
    else if (/[)\]}]/.test(sign) && open.pop() !== sign) {
      throw new TemplateSyntaxFailure(`unexpected '${sign}'`, line);
    }
    push("operator", sign);
  }
}

const escapes = /\\(?:\n|([0-7]{1,3})|x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([\\'"abfnrtv])|([xuUN]))/gi;
const letters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Reads the escapes of a text in quotes as Python does; unknown ones stay. */
function readEscapes(quoted: string, line: number): string {
  if (!quoted.includes("\\")) return quoted;
  return quoted.replace(escapes, (whole, octal, hex, short, long, letter) => {
    if (whole === "\\\n") return "";
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const code = hex ?? short ?? long;
    // The escapes of Python are lower case, but for \U; what the pattern found otherwise is no escape.
    const kind = whole.charAt(1);
    if (code !== undefined && (hex === undefined || kind === "x") && kind !== "X") {
      const point = Number.parseInt(code, 16);
      if (point <= 0x10ffff) return String.fromCodePoint(point);
    }
    if (letter !== undefined) return letters[letter] ?? (/[\\'"]/.test(letter) ? letter : whole);
    if (/[xuUN]/.test(kind)) throw new TemplateSyntaxFailure(`'${whole}' is no escape of a character`, line);
    return whole;
  });
}

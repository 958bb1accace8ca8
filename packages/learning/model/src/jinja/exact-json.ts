import { Float } from "./values.js";

const mostLevels = 200;
const blank = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids these in texts.
const quoted = /"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"/y;
const words = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

/**
 * Reads JSON as Python does, for templates: objects as maps in their order, whatever their keys are, integers of any
 * length, and numbers with a point or an exponent as floats, so that 1.0 stays 1.0.
 * @throws {SyntaxError} if the text is not JSON
 */
export function readExactJson(text: string): unknown {
  const reader = new ExactReader(text, 0);
  const value = reader.value();
  reader.skip(blank);
  if (reader.at < text.length) throw reader.wrong();
  return value;
}

/** A JSON object inside a text: the text of each member as it is written, and where the object ends. */
export interface WrittenObject {
  readonly members: ReadonlyMap<string, string>;
  readonly end: number;
}

/** Reads the object that begins at an index of a text, after blanks. @throws {SyntaxError} if there is none */
export function readWrittenObject(text: string, at: number): WrittenObject {
  const reader = new ExactReader(text, at);
  const members = new Map<string, string>();
  reader.object((key) => {
    reader.skip(blank);
    const from = reader.at;
    reader.value();
    members.set(key, text.slice(from, reader.at));
  });
  return { members, end: reader.at };
}

class ExactReader {
  readonly #text: string;
  #level = 0;
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  wrong(): SyntaxError {
    return new SyntaxError(`is not JSON at character ${this.at}`);
  }

  skip(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  #expect(sign: string): void {
    if (!this.#is(sign)) throw this.wrong();
  }

  /** Moves over blanks and, if it is next, over a sign. */
  #is(sign: string): boolean {
    this.skip(blank);
    const found = this.#text.startsWith(sign, this.at);
    if (found) this.at += sign.length;
    return found;
  }

  #string(): string {
    this.skip(blank);
    const found = this.skip(quoted);
    if (found === undefined) throw this.wrong();
    return String(JSON.parse(found));
  }

  value(): unknown {
    this.skip(blank);
    const first = this.#text.charAt(this.at);
    if (first === '"') return this.#string();
    if (first === "{") {
      const object = new Map<string, unknown>();
      this.object((key) => object.set(key, this.value()));
      return object;
    }
    if (first === "[") return this.#array();
    for (const [word, value] of words) if (this.#is(word)) return value;
    return this.#number();
  }

  #number(): unknown {
    number.lastIndex = this.at;
    const found = number.exec(this.#text);
    if (found === null) throw this.wrong();
    const [whole, fraction, exponent] = found;
    this.at += whole.length;
    if (fraction !== undefined || exponent !== undefined) return new Float(Number(whole));
    return Number.isSafeInteger(Number(whole)) ? Number(whole) + 0 : BigInt(whole);
  }

  #deeper(work: () => void): void {
    this.#level += 1;
    if (this.#level > mostLevels) throw new SyntaxError(`is nested deeper than ${mostLevels} levels`);
    work();
    this.#level -= 1;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#deeper(() => {
      this.#expect("[");
      if (this.#is("]")) return;
      do items.push(this.value());
      while (this.#is(","));
      this.#expect("]");
    });
    return items;
  }

  object(member: (key: string) => void): void {
    this.#deeper(() => {
      this.#expect("{");
      if (this.#is("}")) return;
      do {
        const key = this.#string();
        this.#expect(":");
        member(key);
      } while (this.#is(","));
      this.#expect("}");
    });
  }
}

import { TemplateSyntaxFailure } from "./failure.js";
import type { Token } from "./lexer.js";

/** Reads tokens one by one. */
export class Tokens {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.ahead(0);
  }

  ahead(count: number): Token {
    const token = this.#tokens[Math.min(this.#at + count, this.#tokens.length - 1)];
    if (token === undefined) throw new TemplateSyntaxFailure("unexpected end of template", 0);
    return token;
  }

  next(): Token {
    const token = this.current;
    this.#at += 1;
    return token;
  }

  is(type: Token["type"], value?: string): boolean {
    const { current } = this;
    return current.type === type && (value === undefined || current.value === value);
  }

  isWord(...words: readonly string[]): boolean {
    return this.current.type === "name" && words.includes(this.current.value);
  }

  isSign(...signs: readonly string[]): boolean {
    return this.current.type === "operator" && signs.includes(this.current.value);
  }

  /** Moves on if the current token is this word or sign, and tells whether it was. */
  skipWord(word: string): boolean {
    const found = this.isWord(word);
    if (found) this.next();
    return found;
  }

  skipSign(sign: string): boolean {
    const found = this.isSign(sign);
    if (found) this.next();
    return found;
  }

  expectSign(sign: string): void {
    if (!this.skipSign(sign)) throw this.unexpected(`'${sign}'`);
  }

  expectName(): string {
    if (this.current.type !== "name") throw this.unexpected("a name");
    return this.next().value;
  }

  expect(type: Token["type"]): Token {
    if (this.current.type !== type) throw this.unexpected(type);
    return this.next();
  }

  unexpected(wanted: string): TemplateSyntaxFailure {
    const { type, value, line } = this.current;
    const found = type === "end" ? "the end of the template" : value === "" ? type : `'${value}'`;
    return new TemplateSyntaxFailure(`expected ${wanted}, found ${found}`, line);
  }

  fail(message: string): TemplateSyntaxFailure {
    return new TemplateSyntaxFailure(message, this.current.line);
  }
}

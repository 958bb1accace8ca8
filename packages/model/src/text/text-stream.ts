/** The half of a tokenizer that reading needs. */
export interface TokenDecoder {
  decode(tokenIds: readonly number[]): string;
}

const replacement = "\ufffd";

/**
 * Token ids in, text out, as it becomes certain. A character whose bytes are spread over tokens is held back
 * until it is whole; what was put out is never taken back, and all of it together is the text of all tokens.
 */
export class TextStream {
  readonly #tokenizer: TokenDecoder;
  /**
   * The last token before the last character boundary and those since, and how much of their text was put out.
   * That one token is kept because some tokenizers leave out the space before the first word of a text.
   */
  #pending: number[] = [];
  #written = 0;

  constructor(tokenizer: TokenDecoder) {
    this.#tokenizer = tokenizer;
  }

  /** The text that these tokens make certain; "" while a character is incomplete. */
  push(tokenIds: readonly number[]): string {
    if (tokenIds.length === 0) return "";
    this.#pending.push(...tokenIds);
    const text = this.#tokenizer.decode(this.#pending);
    // Bytes at the end that are no character yet decode to one replacement mark; more bytes may fix it.
    if (text.endsWith(replacement)) {
      const certain = text.slice(this.#written, -replacement.length);
      this.#written += certain.length;
      return certain;
    }
    const certain = text.slice(this.#written);
    this.#pending = this.#pending.slice(-1);
    this.#written = this.#tokenizer.decode(this.#pending).length;
    return certain;
  }

  /** What was held back, with replacement marks where bytes never became a character. */
  end(): string {
    const rest = this.#pending.length === 0 ? "" : this.#tokenizer.decode(this.#pending).slice(this.#written);
    this.#pending = [];
    this.#written = 0;
    return rest;
  }
}

/** The decoding half of a tokenizer. */
export interface TokenDecoder {
  decode(tokenIds: readonly number[]): string;
}

const replacement = "\ufffd";

/**
 * Decodes token ids to text as soon as the text is certain. A character whose bytes are spread over several tokens is
 * held back until it is complete. Emitted text is never revised, and all of it together is the text of all tokens.
 */
export class TextStream {
  readonly #tokenizer: TokenDecoder;
  /**
   * The last token before the last character boundary and all tokens since; `#written` is how much of their text was
   * emitted. That one earlier token is kept because some tokenizers drop the space before the first word of a text.
   */
  #pending: number[] = [];
  #written = 0;

  constructor(tokenizer: TokenDecoder) {
    this.#tokenizer = tokenizer;
  }

  /** Returns the text that these tokens make certain; "" while a character is incomplete. */
  push(tokenIds: readonly number[]): string {
    if (tokenIds.length === 0) return "";
    this.#pending.push(...tokenIds);
    const text = this.#tokenizer.decode(this.#pending);
    // Trailing bytes that are not a character yet decode to one replacement character; more bytes may complete it.
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

  /** Returns what was held back, with replacement characters for bytes that never became a character. */
  end(): string {
    const rest = this.#pending.length === 0 ? "" : this.#tokenizer.decode(this.#pending).slice(this.#written);
    this.#pending = [];
    this.#written = 0;
    return rest;
  }
}

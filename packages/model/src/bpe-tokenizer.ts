import { Tokenizer } from "@huggingface/tokenizers";
import { beginTokenIdsOf } from "./begin-tokens.js";
import { byteCharacters } from "./byte-alphabet.js";
import { ModelError } from "./error.js";

/** What tokenizer.json of a byte-level BPE must have for us; the rest is the library's to read. */
export interface TokenizerJson {
  readonly normalizer?: unknown;
  readonly pre_tokenizer?: unknown;
  readonly post_processor?: unknown;
  readonly model: { readonly vocab: Readonly<Record<string, number>> };
  readonly added_tokens?: readonly {
    readonly id: number;
    readonly content: string;
    /** Absent: as if true. Those with false are words that the model knows, such as <think>, no control marks. */
    readonly special?: boolean;
  }[];
}

export interface EncodeOptions {
  /**
   * What a special token's text inside the text becomes. "ids" (default): the token, as in a rendered chat.
   * "text": its letters, as in a document that nobody vouches for. Added tokens that are not special, such
   * as <think>, stay tokens in both.
   */
  readonly specialTokens?: "ids" | "text";
}

/** The part of the library's tokenizer that is used here; its own types do not resolve under nodenext. */
interface LibraryTokenizer {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[]; tokens: string[] };
  decode(
    ids: number[],
    options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean },
  ): string;
  id_to_token(id: number): string | undefined;
}

/** Text to token ids and back, as a Hugging Face tokenizer.json says; only `encodePrompt` adds special tokens. */
export class BpeTokenizer {
  /** The tokenizer.json and tokenizer_config.json that it was made from, for saving. */
  readonly json: TokenizerJson;
  readonly configJson: Readonly<Record<string, unknown>>;
  /** One more than the largest id: rows that a model's embedding needs at least. */
  readonly vocabSize: number;
  /** What transformers writes before a plain prompt, such as <|begin_of_text|>; empty for most models. */
  readonly beginTokenIds: readonly number[];
  readonly #tokenizer: LibraryTokenizer;
  /** Every added token by its text. */
  readonly #addedIds: ReadonlyMap<string, number>;
  /** Those of them that are special, by text: longest first, as a search for them wants it. */
  readonly specialTokens: ReadonlyMap<string, number>;
  readonly #specialIds: ReadonlySet<number>;
  /** Knows no special tokens; made when a text first holds one that must stay text. */
  #plainTokenizer: LibraryTokenizer | undefined;
  /** Bytes that no token stands for: texts with them cannot be encoded. */
  readonly #missingBytes: ReadonlySet<number>;

  /** @throws {ModelError} TOKENIZER_INVALID */
  constructor(json: unknown, configJson: Readonly<Record<string, unknown>> = {}) {
    if (!isTokenizerJson(json)) {
      throw new ModelError(
        "TOKENIZER_INVALID",
        "tokenizer.json: model.vocab is missing; only BPE files are read",
      );
    }
    this.json = json;
    this.configJson = configJson;
    const added = json.added_tokens ?? [];
    this.#addedIds = new Map(added.map(({ content, id }) => [content, id]));
    this.specialTokens = new Map(
      added
        .filter(({ special }) => special !== false)
        .toSorted((a, b) => b.content.length - a.content.length)
        .map(({ content, id }) => [content, id]),
    );
    this.#specialIds = new Set(this.specialTokens.values());
    const ids = [...Object.values(json.model.vocab), ...this.#addedIds.values()];
    this.vocabSize = ids.reduce((largest, id) => Math.max(largest, id), -1) + 1;
    this.beginTokenIds = beginTokenIdsOf(json.post_processor);
    const byteLevel = JSON.stringify(json.pre_tokenizer ?? null).includes('"ByteLevel"');
    const missing = byteCharacters.flatMap((character, byte) =>
      Object.hasOwn(json.model.vocab, character) ? [] : byte,
    );
    this.#missingBytes = new Set(byteLevel ? missing : []);
    try {
      this.#tokenizer = new Tokenizer(json, configJson);
    } catch (cause) {
      throw new ModelError("TOKENIZER_INVALID", `tokenizer.json: ${String(cause)}`, { cause });
    }
  }

  /**
   * A plain text that a model is to continue: `encode` with the begin tokens before it. Chat templates write their own,
   * and a document is no prompt; for both there is `encode`.
   * @throws {ModelError} TOKENIZER_INVALID as `encode`
   */
  encodePrompt(text: string, options: EncodeOptions = {}): number[] {
    return [...this.beginTokenIds, ...this.encode(text, options)];
  }

  /**
   * Special tokens written out in the text become their ids, unless the options say otherwise.
   * @throws {ModelError} TOKENIZER_INVALID when the text holds a byte outside the alphabet
   */
  encode(text: string, options: EncodeOptions = {}): number[] {
    if (text === "") return [];
    const asText = options.specialTokens === "text" && this.#holdsSpecial(text);
    const tokenizer = asText ? this.#plain() : this.#tokenizer;
    const { ids, tokens } = tokenizer.encode(text, { add_special_tokens: false });
    if (this.#missingBytes.size > 0) this.#checkNothingDropped(text, tokens);
    return ids;
  }

  #holdsSpecial(text: string): boolean {
    for (const special of this.specialTokens.keys()) if (text.includes(special)) return true;
    return false;
  }

  #plain(): LibraryTokenizer {
    if (this.#plainTokenizer !== undefined) return this.#plainTokenizer;
    const added = (this.json.added_tokens ?? []).filter(({ special }) => special === false);
    const plain: LibraryTokenizer = new Tokenizer({ ...this.json, added_tokens: added }, this.configJson);
    this.#plainTokenizer = plain;
    return plain;
  }

  /** The library leaves bytes outside the alphabet out without a word; a shorter text would be trained on. */
  #checkNothingDropped(text: string, tokens: readonly string[]): void {
    const sizeBytes = tokens.reduce(
      // A character of a byte-level token is a byte; a special token is its own text.
      (sum, token) => sum + (this.#addedIds.has(token) ? Buffer.byteLength(token) : token.length),
      0,
    );
    if (sizeBytes === Buffer.byteLength(text)) return;
    const culprit = [...text].find((character) =>
      Buffer.from(character).some((byte) => this.#missingBytes.has(byte)),
    );
    const message = `${JSON.stringify(culprit)} is outside the tokenizer's alphabet; train it with alphabet "bytes"`;
    throw new ModelError("TOKENIZER_INVALID", message);
  }

  /**
   * Special tokens are written out. Bytes that are no UTF-8 become U+FFFD.
   * @throws {ModelError} TOKENIZER_INVALID when an id is outside the vocabulary
   */
  decode(tokenIds: readonly number[]): string {
    if (tokenIds.length === 0) return "";
    const unknown = tokenIds.find((id) => this.#tokenizer.id_to_token(id) === undefined);
    if (unknown !== undefined) {
      throw new ModelError(
        "TOKENIZER_INVALID",
        `token id ${unknown} is not in the vocabulary of ${this.vocabSize}`,
      );
    }
    const options = { skip_special_tokens: false, clean_up_tokenization_spaces: false };
    return this.#tokenizer.decode([...tokenIds], options);
  }

  /** A token that tokenizer_config.json names, such as "bos_token": a text there, or a record with one. */
  namedToken(field: string): string | undefined {
    const named = this.configJson[field];
    if (typeof named === "string") return named;
    const content = (named as { content?: unknown } | null | undefined)?.content;
    return typeof content === "string" ? content : undefined;
  }

  /** The token that ends a text or an answer, where tokenizer_config.json names one. */
  get endToken(): string | undefined {
    return this.namedToken("eos_token");
  }

  /** Id of an added token by its text, special or not. */
  specialTokenId(text: string): number | undefined {
    return this.#addedIds.get(text);
  }

  /** Whether it is a control mark that no reader should see, such as <|im_end|>. */
  isSpecial(tokenId: number): boolean {
    return this.#specialIds.has(tokenId);
  }
}

function isTokenizerJson(json: unknown): json is TokenizerJson {
  const model = (json as { model?: { vocab?: unknown } } | null)?.model;
  return typeof model?.vocab === "object" && model.vocab !== null && !Array.isArray(model.vocab);
}

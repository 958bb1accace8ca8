import { Tokenizer } from "@huggingface/tokenizers";
import { ModelError } from "../base/error.js";
import { beginTokenIdsOf } from "./begin-tokens.js";
import { byteCharacters } from "./byte-alphabet.js";

/** The fields of a byte-level BPE's tokenizer.json that this class needs; the library reads the rest. */
export interface TokenizerJson {
  readonly normalizer?: unknown;
  readonly pre_tokenizer?: unknown;
  readonly post_processor?: unknown;
  readonly model: { readonly vocab: Readonly<Record<string, number>> };
  readonly added_tokens?: readonly {
    readonly id: number;
    readonly content: string;
    /** Absent: true. With false it is an ordinary word of the model, such as <think>, not a control token. */
    readonly special?: boolean;
  }[];
}

export interface EncodeOptions {
  /**
   * How the text of a special token is encoded. "ids" (default): as the token, as in a rendered chat. "text": as
   * ordinary text, as in an untrusted document. Added tokens that are not special, such as <think>, stay tokens
   * in both cases.
   */
  readonly specialTokens?: "ids" | "text";
}

/** The part of the library's tokenizer that is used here, because its own types do not resolve under nodenext. */
interface LibraryTokenizer {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[]; tokens: string[] };
  decode(
    ids: number[],
    options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean },
  ): string;
  id_to_token(id: number): string | undefined;
}

/** Converts text to token ids and back as a Hugging Face tokenizer.json says; only `encodePrompt` adds special tokens. */
export class BpeTokenizer {
  /** The tokenizer.json and tokenizer_config.json that it was made from, kept for saving. */
  readonly json: TokenizerJson;
  readonly configJson: Readonly<Record<string, unknown>>;
  /** One more than the largest id: the least number of rows in a model's embedding. */
  readonly vocabSize: number;
  /** What transformers adds before a plain prompt, such as <|begin_of_text|>; empty for most models. */
  readonly beginTokenIds: readonly number[];
  readonly #tokenizer: LibraryTokenizer;
  /** Ids of all added tokens by their text. */
  readonly #addedIds: ReadonlyMap<string, number>;
  /** Ids of the special ones by their text, longest first, in the order in which they must be searched for. */
  readonly specialTokens: ReadonlyMap<string, number>;
  readonly #specialIds: ReadonlySet<number>;
  /** A tokenizer without special tokens; created when a text first contains one that must stay text. */
  #plainTokenizer: LibraryTokenizer | undefined;
  /** Bytes that no token represents: texts that contain them cannot be encoded. */
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
      this.#tokenizer = new Tokenizer(withRustDigits(json), configJson);
    } catch (cause) {
      throw new ModelError("TOKENIZER_INVALID", `tokenizer.json: ${String(cause)}`, { cause });
    }
  }

  /**
   * Encodes a plain text that a model is to continue: the begin tokens, then `encode`. Use `encode` for rendered chats,
   * whose templates add their own begin token, and for documents, which are not prompts.
   * @throws {ModelError} TOKENIZER_INVALID as `encode`
   */
  encodePrompt(text: string, options: EncodeOptions = {}): number[] {
    return [...this.beginTokenIds, ...this.encode(text, options)];
  }

  /**
   * Special tokens that the text spells out become their ids, unless the options say otherwise.
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
    const plain: LibraryTokenizer = new Tokenizer(
      withRustDigits({ ...this.json, added_tokens: added }),
      this.configJson,
    );
    this.#plainTokenizer = plain;
    return plain;
  }

  /** Checks for bytes outside the alphabet, which the library drops silently: a shorter text would be trained on. */
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
    const message = `${JSON.stringify(culprit)} is outside the alphabet of the model's tokenizer; leave it out of the text, or train the tokenizer with alphabet "bytes"`;
    throw new ModelError("TOKENIZER_INVALID", message);
  }

  /** Returns whether the vocabulary has this id; ids may be missing anywhere, also below `vocabSize`. */
  hasToken(tokenId: number): boolean {
    return this.#tokenizer.id_to_token(tokenId) !== undefined;
  }

  /**
   * Special tokens are spelled out. Bytes that are not UTF-8 become U+FFFD, and ids without a token become nothing.
   * @throws {ModelError} TOKENIZER_INVALID for what is no id
   */
  decode(tokenIds: readonly number[]): string {
    if (tokenIds.length === 0) return "";
    const wrong = tokenIds.find((id) => !Number.isInteger(id) || id < 0);
    if (wrong !== undefined)
      throw new ModelError("TOKENIZER_INVALID", `token id ${wrong} is not an integer of at least 0`);
    const known = tokenIds.filter((id) => this.hasToken(id));
    if (known.length === 0) return "";
    const options = { skip_special_tokens: false, clean_up_tokenization_spaces: false };
    return this.#tokenizer.decode(known, options);
  }

  /** Returns the token that a field of tokenizer_config.json such as "bos_token" names, as a text or as a record. */
  namedToken(field: string): string | undefined {
    const named = this.configJson[field];
    if (typeof named === "string") return named;
    const content = (named as { content?: unknown } | null | undefined)?.content;
    return typeof content === "string" ? content : undefined;
  }

  /** The token that ends a text or an answer, if tokenizer_config.json names one. */
  get endToken(): string | undefined {
    return this.namedToken("eos_token");
  }

  /** Returns the id of an added token, special or not. */
  specialTokenId(text: string): number | undefined {
    return this.#addedIds.get(text);
  }

  /** Returns whether it is a control token that must not be shown to readers, such as <|im_end|>. */
  isSpecial(tokenId: number): boolean {
    return this.#specialIds.has(tokenId);
  }
}

/**
 * Returns a tokenizer.json whose `Digits` are written as a split by every numeral of Unicode, as the tokenizers library
 * of Rust means them; the library here knows only the ten of ASCII.
 */
function withRustDigits(json: TokenizerJson): TokenizerJson {
  return { ...json, pre_tokenizer: digitsAsSplit(json.pre_tokenizer) };
}

function digitsAsSplit(step: unknown): unknown {
  if (typeof step !== "object" || step === null) return step;
  if ("pretokenizers" in step && Array.isArray(step.pretokenizers)) {
    return { ...step, pretokenizers: step.pretokenizers.map(digitsAsSplit) };
  }
  if (!("type" in step) || step.type !== "Digits") return step;
  const single = "individual_digits" in step && step.individual_digits === true;
  const pattern = { Regex: single ? "\\p{N}" : "\\p{N}+" };
  return { type: "Split", pattern, behavior: "Isolated", invert: false };
}

function isTokenizerJson(json: unknown): json is TokenizerJson {
  const model = (json as { model?: { vocab?: unknown } } | null)?.model;
  return typeof model?.vocab === "object" && model.vocab !== null && !Array.isArray(model.vocab);
}

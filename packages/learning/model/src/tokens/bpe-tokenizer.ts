import { Tokenizer } from "@huggingface/tokenizers";
import { ModelError } from "../base/error.js";
import { type AddedToken, AddedTokens } from "./added-tokens.js";
import { beginTokenIdsOf } from "./begin-tokens.js";
import { byteCharacters, wordPattern } from "./byte-alphabet.js";

/** The fields of a byte-level BPE's tokenizer.json that this class needs; the library reads the rest. */
export interface TokenizerJson {
  readonly normalizer?: unknown;
  readonly pre_tokenizer?: unknown;
  readonly post_processor?: unknown;
  readonly model: { readonly vocab: Readonly<Record<string, number>> };
  readonly decoder?: unknown;
  readonly added_tokens?: readonly AddedToken[];
}

export interface EncodeOptions {
  /**
   * How the text of a special token is encoded. "ids" (default): as the token, as in a rendered chat. "text": as
   * ordinary text, as in an untrusted document. Added tokens that are not special, such as <think>, stay tokens
   * in both cases.
   */
  readonly specialTokens?: "ids" | "text";
}

/** The steps of the library's tokenizer, whose own types do not resolve under nodenext. */
interface LibrarySteps {
  readonly normalizer: ((text: string) => string) | null;
  readonly pre_tokenizer: ((text: string, options: { section_index: number }) => string[]) | null;
  readonly model: ((words: string[]) => string[]) & {
    readonly tokens_to_ids: ReadonlyMap<string, number>;
    readonly vocab: readonly (string | undefined)[];
    readonly unk_token_id: number | undefined;
  };
  readonly decoder: ((tokens: string[]) => string) | null;
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
  /** The library's steps, without added tokens. */
  readonly #steps: LibrarySteps;
  readonly #added: AddedTokens;
  /** Ids of all added tokens by their text, and their texts by their ids. */
  readonly #addedIds: ReadonlyMap<string, number>;
  readonly #addedTexts: ReadonlyMap<number, string>;
  /** Whether each text between added tokens begins with a space, as in GPT-2's offspring. */
  readonly #addsSpace: boolean;
  readonly #decodesBytes: boolean;
  /** Ids of the special ones by their text, longest first, in the order in which they must be searched for. */
  readonly specialTokens: ReadonlyMap<string, number>;
  readonly #specialIds: ReadonlySet<number>;
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
    this.#addedTexts = new Map(added.map(({ content, id }) => [id, content]));
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
    const first = stepsOf(json.pre_tokenizer)[0];
    this.#addsSpace = first?.["type"] === "ByteLevel" && first["add_prefix_space"] === true;
    const [decoder, ...furtherDecoders] = stepsOf(json.decoder);
    this.#decodesBytes = decoder?.["type"] === "ByteLevel" && furtherDecoders.length === 0;
    try {
      const steps: LibrarySteps = new Tokenizer(
        { ...json, pre_tokenizer: asInRust(json.pre_tokenizer), added_tokens: [] },
        configJson,
      );
      this.#steps = steps;
      keepMarks(steps.decoder);
      this.#added = new AddedTokens(added, (text) => steps.normalizer?.(text) ?? text);
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
    const { pre_tokenizer: split, model } = this.#steps;
    const ids: number[] = [];
    for (const piece of this.#added.split(text, options.specialTokens === "text")) {
      if (typeof piece === "number") {
        ids.push(piece);
        continue;
      }
      const opens = this.#addsSpace && !piece.text.startsWith(" ");
      const part = opens ? ` ${piece.text}` : piece.text;
      const tokens = model(split?.(part, { section_index: piece.isFirst ? 0 : 1 }) ?? [part]);
      if (this.#missingBytes.size > 0) this.#checkNothingDropped(part, tokens);
      for (const token of tokens) {
        const id = model.tokens_to_ids.get(token) ?? model.unk_token_id;
        if (id !== undefined) ids.push(id);
      }
    }
    return ids;
  }

  /** Checks for bytes outside the alphabet, which the library drops silently: a shorter text would be trained on. */
  #checkNothingDropped(text: string, tokens: readonly string[]): void {
    // A character of a byte-level token is a byte.
    const sizeBytes = tokens.reduce((sum, token) => sum + token.length, 0);
    if (sizeBytes === Buffer.byteLength(text)) return;
    const culprit = [...text].find((character) =>
      Buffer.from(character).some((byte) => this.#missingBytes.has(byte)),
    );
    const message = `${JSON.stringify(culprit)} is outside the alphabet of the model's tokenizer; leave it out of the text, or train the tokenizer with alphabet "bytes"`;
    throw new ModelError("TOKENIZER_INVALID", message);
  }

  /** Returns whether the vocabulary has this id; ids may be missing anywhere, also below `vocabSize`. */
  hasToken(tokenId: number): boolean {
    return this.#tokenOf(tokenId) !== undefined;
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
    const tokens = tokenIds.flatMap((id) => this.#tokenOf(id) ?? []);
    if (this.#decodesBytes) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(tokens));
    return this.#steps.decoder?.(tokens) ?? tokens.join(" ");
  }

  #tokenOf(id: number): string | undefined {
    return this.#addedTexts.get(id) ?? this.#steps.model.vocab[id];
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

/** Each character of a byte-level token is a byte; a token with another character, such as an added one, is its own text. */
function bytesOf(tokens: readonly string[]): Buffer {
  const parts = tokens.map((token) => {
    const bytes = Array.from(token, (character) => byteOf.get(character));
    return bytes.includes(undefined) ? Buffer.from(token) : Buffer.from(bytes.map(Number));
  });
  return Buffer.concat(parts);
}

/** The library's decoder of bytes takes U+FEFF at the beginning of its bytes for the mark of a file, and drops it. */
function keepMarks(decoder: unknown): void {
  if (typeof decoder !== "object" && typeof decoder !== "function") return;
  if (decoder === null) return;
  if ("text_decoder" in decoder)
    Reflect.set(decoder, "text_decoder", new TextDecoder("utf-8", { ignoreBOM: true }));
  if ("decoders" in decoder && Array.isArray(decoder.decoders)) decoder.decoders.forEach(keepMarks);
}

const byteOf = new Map(byteCharacters.map((character, byte) => [character, byte]));

/** A step of tokenizer.json, or those of a sequence. */
function stepsOf(step: unknown): Readonly<Record<string, unknown>>[] {
  if (typeof step !== "object" || step === null) return [];
  const inner = Object.values(step).find((value) => Array.isArray(value));
  return "type" in step && step.type === "Sequence" && Array.isArray(inner)
    ? inner.flatMap(stepsOf)
    : [{ ...step }];
}

/**
 * Returns the steps as the tokenizers library of Rust means them: `Digits` are all numerals of Unicode, of which the library
 * here knows ten, and the spaces of `ByteLevel` are Unicode's, and not JavaScript's.
 */
function asInRust(step: unknown): unknown {
  const steps = stepsOf(step).flatMap((one, place) => {
    const { type, individual_digits: isSingle, use_regex: splits, add_prefix_space: addsSpace } = one;
    if (type === "Digits") return splitBy(isSingle === true ? "\\p{N}" : "\\p{N}+");
    // The space that the first step adds is added before it, since it belongs to what is split.
    if (type !== "ByteLevel" || (place > 0 && addsSpace === true)) return one;
    const alone = { ...one, use_regex: false, add_prefix_space: false };
    return splits === false ? alone : [splitBy(wordPattern.source), alone];
  });
  return steps.length === 0 ? null : { type: "Sequence", pretokenizers: steps };
}

const splitBy = (Regex: string) => ({
  type: "Split",
  pattern: { Regex },
  behavior: "Isolated",
  invert: false,
});

function isTokenizerJson(json: unknown): json is TokenizerJson {
  const model = (json as { model?: { vocab?: unknown } } | null)?.model;
  return typeof model?.vocab === "object" && model.vocab !== null && !Array.isArray(model.vocab);
}

/** A token that texts are searched for before the model's own tokens, with the flags of tokenizer.json. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Absent: true. With false it is an ordinary word of the model, such as <think>, not a control token. */
  readonly special?: boolean;
  /** Found only where it neither follows nor precedes a letter, digit or underscore. */
  readonly single_word?: boolean;
  /** Takes the white space before it along. */
  readonly lstrip?: boolean;
  /** Takes the white space after it along. */
  readonly rstrip?: boolean;
  /** Searched for in the normalized text. Absent: where it is not special. */
  readonly normalized?: boolean;
}

/** A part of a text: an added token's id, or normalized text for the model's own tokens. */
export type Piece = number | { readonly text: string; readonly isFirst: boolean };

type Normalize = (text: string) => string;

interface Search {
  readonly pattern: RegExp;
  readonly tokens: ReadonlyMap<string, AddedToken>;
}

/**
 * Splits texts at added tokens as the tokenizers library of Rust does, whose JavaScript port reads no `single_word`, leaves
 * the spaces of tokens that are found side by side, and loses a token that is found both ways.
 */
export class AddedTokens {
  readonly #normalize: Normalize;
  readonly #plain: Search | undefined;
  readonly #normalized: Search | undefined;

  constructor(tokens: readonly AddedToken[], normalize: Normalize) {
    const isNormalized = ({ normalized, special }: AddedToken) => normalized ?? special === false;
    this.#normalize = normalize;
    this.#plain = searchFor(
      tokens.filter((token) => !isNormalized(token)).map((token) => [token.content, token]),
    );
    this.#normalized = searchFor(
      tokens.filter(isNormalized).map((token) => [normalize(token.content), token]),
    );
  }

  /** @param specialAsText whether the texts of special tokens are text, which is not searched for other tokens either */
  split(text: string, specialAsText: boolean): Piece[] {
    return found(text, this.#plain, specialAsText).flatMap((piece) => {
      if (typeof piece === "number") return piece;
      const normalized = this.#normalize(piece.text);
      return found(normalized, this.#normalized, specialAsText).map((inner) =>
        typeof inner === "number" ? inner : { text: inner.text, isFirst: inner.isFirst && piece.isFirst },
      );
    });
  }
}

/** Of two tokens that begin at the same place the longer one is found. */
function searchFor(tokens: readonly (readonly [string, AddedToken])[]): Search | undefined {
  const byText = new Map(tokens.filter(([text]) => text !== "").toReversed());
  if (byText.size === 0) return undefined;
  const longestFirst = [...byText.keys()].toSorted((a, b) => b.length - a.length);
  return { pattern: new RegExp(longestFirst.map(escaped).join("|"), "gu"), tokens: byText };
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

// The classes of Rust's regular expressions: those of JavaScript know ASCII only, and take U+FEFF for a space.
const word = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]";
const endsWithWord = new RegExp(`${word}$`, "u");
const startsWithWord = new RegExp(`^${word}`, "u");
const isSpace = (character: string | undefined) =>
  character !== undefined && /^\p{White_Space}$/u.test(character);

function found(text: string, search: Search | undefined, specialAsText: boolean): Piece[] {
  if (text === "") return [];
  if (search === undefined) return [{ text, isFirst: true }];
  const pieces: Piece[] = [];
  let done = 0;
  const addText = (end: number) => {
    if (done < end) pieces.push({ text: text.slice(done, end), isFirst: done === 0 });
  };
  for (const { 0: content, index } of text.matchAll(search.pattern)) {
    const token = search.tokens.get(content);
    if (token === undefined || (specialAsText && token.special !== false)) continue;
    let start = index;
    let end = index + content.length;
    const isWithin = () =>
      endsWithWord.test(text.slice(Math.max(0, start - 2), start)) ||
      startsWithWord.test(text.slice(end, end + 2));
    if (token.single_word === true && isWithin()) continue;
    // No white space is longer than one unit of UTF-16.
    if (token.lstrip === true) while (isSpace(text[start - 1])) start -= 1;
    if (token.rstrip === true) while (isSpace(text[end])) end += 1;
    // What the token before took along counts as gone only for what this one would take along.
    if (token.lstrip === true) start = Math.max(start, done);
    addText(start);
    if (start < end) pieces.push(token.id);
    done = end;
  }
  addText(text.length);
  return pieces;
}

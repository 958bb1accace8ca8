import { beginProcessor } from "./begin-tokens.js";

/** Kinds of pieces, as numbered by sentencepiece and by GGUF. */
export const pieceType = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

export interface SentencePiece {
  readonly text: string;
  /** The larger it is, the sooner neighbors are merged into this piece. */
  readonly score: number;
  /** See `pieceType`. */
  readonly type: number;
}

/** A BPE of sentencepiece, as tokenizer.model or a GGUF file contains it. */
export interface SentencePieces {
  /** By id. */
  readonly pieces: readonly SentencePiece[];
  /** Whether characters without a piece are spelled as bytes. */
  readonly hasBytes: boolean;
  /**
   * Where a space that is no part of the text is put before it: nowhere, at its beginning, or also after each added token, as
   * transformers does unless tokenizer_config.json says `legacy: false`.
   */
  readonly space: "none" | "first" | "each";
  /** The id that `encodePrompt` puts before a text; absent: none. */
  readonly beginTokenId?: number | undefined;
}

/** Sentencepiece writes spaces as this character. */
const SPACE = "▁";

/** Returns the tokenizer.json that transformers makes of it. */
export function sentencePieceJson({
  pieces,
  hasBytes,
  space,
  beginTokenId,
}: SentencePieces): Readonly<Record<string, unknown>> {
  const used = [...pieces.entries()].filter(([, { type }]) => type !== pieceType.unused);
  const ids = new Map(used.map(([id, { text }]) => [text, id]));
  const replaced = { type: "Replace", pattern: { String: " " }, content: SPACE };
  const metaspace = { type: "Metaspace", replacement: SPACE, prepend_scheme: "first", split: false };
  const begin = beginTokenId === undefined ? undefined : pieces[beginTokenId]?.text;
  const unknown = pieces.find(({ type }) => type === pieceType.unknown)?.text ?? null;
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: used.flatMap(([id, piece]) => addedToken(id, piece, space !== "each")),
    normalizer:
      space === "first"
        ? null
        : {
            type: "Sequence",
            normalizers: space === "each" ? [{ type: "Prepend", prepend: SPACE }, replaced] : [replaced],
          },
    pre_tokenizer: space === "first" ? metaspace : null,
    post_processor: begin === undefined ? null : beginProcessor(begin, Number(beginTokenId)),
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: SPACE }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
        ...(space === "none" ? [] : [{ type: "Strip", content: " ", start: 1, stop: 0 }]),
      ],
    },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: unknown,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: hasBytes,
      ignore_merges: false,
      vocab: Object.fromEntries(ids),
      merges: mergesOf(
        used.map(([, piece]) => piece),
        ids,
      ),
    },
  };
}

/**
 * Control pieces are special tokens; what a user has defined is found before anything is merged, in the text as it is merged, in which
 * spaces are replaced.
 */
function addedToken(id: number, { text, type }: SentencePiece, isNormalized: boolean) {
  const isSpecial = type === pieceType.control || type === pieceType.unknown;
  if (!isSpecial && type !== pieceType.userDefined) return [];
  const plain = { single_word: false, lstrip: false, rstrip: false, normalized: isNormalized && !isSpecial };
  return [{ id, content: text, ...plain, special: isSpecial }];
}

/**
 * Returns the merges, most urgent first: each pair of pieces that makes a third, by the score of the third, and of one third by
 * the ids of the pair, as transformers orders them.
 */
function mergesOf(pieces: readonly SentencePiece[], ids: ReadonlyMap<string, number>): [string, string][] {
  return pieces
    .filter(({ type }) => type === pieceType.normal)
    .toSorted((a, b) => b.score - a.score)
    .flatMap(({ text }) => {
      const characters = [...text];
      return characters
        .slice(1)
        .map((_, at): [string, string] => [
          characters.slice(0, at + 1).join(""),
          characters.slice(at + 1).join(""),
        ])
        .filter(([left, right]) => ids.has(left) && ids.has(right))
        .toSorted(
          ([a, c], [b, d]) =>
            Number(ids.get(a)) - Number(ids.get(b)) || Number(ids.get(c)) - Number(ids.get(d)),
        );
    });
}

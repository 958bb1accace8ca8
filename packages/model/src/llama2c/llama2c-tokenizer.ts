import { readFile } from "node:fs/promises";
import { BpeTokenizer } from "../bpe-tokenizer.js";
import { ModelError } from "../error.js";

interface Piece {
  readonly text: string;
  readonly score: number;
}

const [unknownToken, startToken, endToken] = ["<unk>", "<s>", "</s>"];
/** The character that SentencePiece uses for a space. */
const space = "▁";

/**
 * Reads the tokenizer of a llama2.c checkpoint: SentencePiece's pieces with scores, converted to a byte-fallback BPE
 * like that of Llama's tokenizer.json. The file has an int32 (the length of the longest piece), and then for each piece
 * a float32 score, an int32 length and its bytes.
 * Source: github.com/karpathy/llama2.c, tokenizer.py `export`.
 * @throws {ModelError} TOKENIZER_INVALID
 */
export async function readLlama2cTokenizer(path: string, vocabSize: number): Promise<BpeTokenizer> {
  const pieces = parsePieces(await readFile(path), path);
  if (pieces.length !== vocabSize) {
    const message = `${path}: has ${pieces.length} tokens, but the model has ${vocabSize}; give the tokenizer that belongs to the model`;
    throw new ModelError("TOKENIZER_INVALID", message);
  }
  return new BpeTokenizer(tokenizerJson(pieces), {
    bos_token: startToken,
    clean_up_tokenization_spaces: false,
    eos_token: endToken,
    tokenizer_class: "PreTrainedTokenizerFast",
    unk_token: unknownToken,
  });
}

function parsePieces(bytes: Buffer, path: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 4;
  while (at < bytes.length) {
    const length = at + 8 <= bytes.length ? bytes.readInt32LE(at + 4) : -1;
    if (length < 0 || at + 8 + length > bytes.length) {
      throw new ModelError(
        "TOKENIZER_INVALID",
        `${path}: token ${pieces.length} ends outside the file; fetch it again`,
      );
    }
    const raw = bytes.toString("utf8", at + 8, at + 8 + length);
    pieces.push({ score: bytes.readFloatLE(at), text: pieceText(raw, pieces.length) });
    at += 8 + length;
  }
  return pieces;
}

/**
 * Undoes the exporter's changes: it writes spaces for SentencePiece's character, and puts line breaks around the first
 * special pieces.
 */
function pieceText(raw: string, id: number): string {
  return [unknownToken, startToken, endToken][id] ?? raw.replaceAll(" ", space);
}

function tokenizerJson(pieces: readonly Piece[]): object {
  const special = [unknownToken, startToken, endToken].map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: special,
    normalizer: {
      type: "Sequence",
      normalizers: [
        { type: "Prepend", prepend: space },
        { type: "Replace", pattern: { String: " " }, content: space },
      ],
    },
    pre_tokenizer: null,
    post_processor: {
      type: "TemplateProcessing",
      single: [{ SpecialToken: { id: startToken, type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
      pair: [
        { SpecialToken: { id: startToken, type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: startToken, type_id: 1 } },
        { Sequence: { id: "B", type_id: 1 } },
      ],
      special_tokens: { [startToken]: { id: startToken, ids: [1], tokens: [startToken] } },
    },
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: space }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
        { type: "Strip", content: " ", start: 1, stop: 0 },
      ],
    },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: unknownToken,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: true,
      ignore_merges: false,
      vocab: Object.fromEntries(pieces.map(({ text }, id) => [text, id])),
      merges: mergesOf(pieces),
    },
  };
}

/**
 * SentencePiece joins the neighbors whose union has the best score. A list of merges does the same if every way to
 * split a piece is ranked by the piece's score.
 */
function mergesOf(pieces: readonly Piece[]): [string, string][] {
  const ids = new Map(pieces.map(({ text }, id) => [text, id]));
  // Byte pieces and special pieces do not result from merges.
  const merged = pieces.slice(3).filter(({ text }) => !/^<0x[0-9A-F]{2}>$/.test(text));
  return merged
    .toSorted((a, b) => b.score - a.score)
    .flatMap(({ text }) => {
      const characters = [...text];
      return characters
        .slice(1)
        .map((_, i): [string, string] => [
          characters.slice(0, i + 1).join(""),
          characters.slice(i + 1).join(""),
        ])
        .filter(([left, right]) => ids.has(left) && ids.has(right));
    });
}

import { ModelError } from "../base/error.js";
import { BpeTokenizer } from "./bpe-tokenizer.js";
import { byteCharacters, wordPattern } from "./byte-alphabet.js";

export interface BpeTraining {
  /** Total number of ids: special tokens, alphabet, merges. A corpus with too few pairs gives fewer. */
  readonly vocabSize: number;
  /** They get the first ids, in this order. */
  readonly specialTokens: readonly string[];
  /** "bytes": all 256, encodes any text; "corpus": only those that occur, for the smallest vocabulary. */
  readonly alphabet: "bytes" | "corpus";
  /** A pair seen less often is not merged. Default 2. */
  readonly minFrequency?: number;
}

/** A word of the corpus as symbol ids, and how often it occurs. */
interface Word {
  readonly count: number;
  symbols: number[];
}

/**
 * Trains byte-level BPE on texts, split into words as in GPT-2. It is deterministic: of equally frequent pairs the
 * one with the smaller ids wins, regardless of the order of the texts.
 * Source: Sennrich et al., arXiv:1508.07909; bytes as in GPT-2.
 * @throws {ModelError} CONFIG_INVALID when vocabSize leaves no room for special tokens and alphabet
 */
export function trainBpe(texts: Iterable<string>, training: BpeTraining): BpeTokenizer {
  const counts = countWords(texts, training.specialTokens);
  const alphabet = alphabetOf(counts.keys(), training.alphabet);
  const base = training.specialTokens.length + alphabet.length;
  if (training.vocabSize < base) {
    const message = `vocabSize ${training.vocabSize} is less than the ${training.specialTokens.length} special tokens and ${alphabet.length} bytes that it must include; raise it`;
    throw new ModelError("CONFIG_INVALID", message);
  }
  const symbols = [...training.specialTokens, ...alphabet];
  const idOf = new Map(alphabet.map((character, i) => [character, training.specialTokens.length + i]));
  const words = [...counts].map(
    ([word, count]): Word => ({
      count,
      symbols: [...word].map((character) => idOf.get(character) as number),
    }),
  );
  const merges = learnMerges(words, symbols, training.vocabSize, training.minFrequency ?? 2);
  return new BpeTokenizer(tokenizerJson(training.specialTokens, symbols, merges), {
    clean_up_tokenization_spaces: false,
    tokenizer_class: "PreTrainedTokenizerFast",
  });
}

/** Counts words in the byte alphabet; special tokens that a text spells out are skipped. */
function countWords(texts: Iterable<string>, specialTokens: readonly string[]): Map<string, number> {
  const escaped = specialTokens.map((token) => token.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const special = escaped.length === 0 ? undefined : new RegExp(escaped.join("|"), "u");
  const counts = new Map<string, number>();
  const encoder = new TextEncoder();
  for (const text of texts) {
    for (const part of special === undefined ? [text] : text.split(special)) {
      for (const [word] of part.matchAll(wordPattern)) {
        counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
  }
  return new Map(
    [...counts].map(([word, count]) => [
      Array.from(encoder.encode(word), (byte) => byteCharacters[byte] as string).join(""),
      count,
    ]),
  );
}

function alphabetOf(words: Iterable<string>, kind: BpeTraining["alphabet"]): string[] {
  if (kind === "bytes") return [...byteCharacters];
  const seen = new Set<string>();
  for (const word of words) for (const character of word) seen.add(character);
  return byteCharacters.filter((character) => seen.has(character));
}

/** Appends merged symbols to `symbols` until it has `vocabSize`; returns the merges in order. */
function learnMerges(
  words: readonly Word[],
  symbols: string[],
  vocabSize: number,
  minFrequency: number,
): [string, string][] {
  const pairs = new PairCounts();
  words.forEach((word, index) => {
    pairs.addWord(word, index, 1);
  });
  const merges: [string, string][] = [];
  const known = new Set(symbols);
  while (symbols.length < vocabSize) {
    const best = pairs.mostFrequent(minFrequency);
    if (best === undefined) break;
    const { left, right } = best;
    const merged = (symbols[left] as string) + (symbols[right] as string);
    merges.push([symbols[left] as string, symbols[right] as string]);
    // Two merges can give the same text, which gets one token; the second merge only shortens words.
    const id = known.has(merged) ? symbols.indexOf(merged) : symbols.push(merged) - 1;
    known.add(merged);
    for (const index of pairs.wordsWith(left, right)) {
      const word = words[index] as Word;
      pairs.addWord(word, index, -1);
      word.symbols = mergePair(word.symbols, left, right, id);
      pairs.addWord(word, index, 1);
    }
  }
  return merges;
}

function mergePair(symbols: readonly number[], left: number, right: number, merged: number): number[] {
  const result: number[] = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols[i] === left && symbols[i + 1] === right) {
      result.push(merged);
      i++;
    } else result.push(symbols[i] as number);
  }
  return result;
}

interface PairCount {
  readonly left: number;
  readonly right: number;
  count: number;
  /** Indices of words that contain the pair, or once did. */
  readonly words: Set<number>;
}

/** Counts each pair of adjacent symbols, and records the words it occurs in. */
class PairCounts {
  readonly #pairs = new Map<string, PairCount>();

  addWord(word: Word, index: number, sign: 1 | -1): void {
    for (let i = 0; i + 1 < word.symbols.length; i++) {
      const left = word.symbols[i] as number;
      const right = word.symbols[i + 1] as number;
      const key = `${left} ${right}`;
      let pair = this.#pairs.get(key);
      if (pair === undefined) {
        pair = { left, right, count: 0, words: new Set() };
        this.#pairs.set(key, pair);
      }
      pair.count += sign * word.count;
      if (sign > 0) pair.words.add(index);
      if (pair.count === 0) this.#pairs.delete(key);
    }
  }

  mostFrequent(minFrequency: number): PairCount | undefined {
    let best: PairCount | undefined;
    for (const pair of this.#pairs.values()) {
      if (pair.count < minFrequency) continue;
      if (
        best === undefined ||
        pair.count > best.count ||
        (pair.count === best.count && precedes(pair, best))
      ) {
        best = pair;
      }
    }
    return best;
  }

  wordsWith(left: number, right: number): number[] {
    return [...(this.#pairs.get(`${left} ${right}`)?.words ?? [])];
  }
}

function precedes(a: PairCount, b: PairCount): boolean {
  return a.left !== b.left ? a.left < b.left : a.right < b.right;
}

function tokenizerJson(
  specialTokens: readonly string[],
  symbols: readonly string[],
  merges: readonly [string, string][],
): object {
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(symbols.map((symbol, id) => [symbol, id])),
      merges,
    },
  };
}

/** Sentences of a text from which a name, a number or a rare word can be taken, because another sentence has it, too. */
import { type Sentence, wordsOf } from "./sentences.js";

export interface Gap {
  /** Position of the sentence that is taken out of the text. */
  readonly at: number;
  /** Position of the nearest earlier sentence that has the answer. */
  readonly evidence: number;
  readonly answer: string;
  readonly kind: "name" | "number" | "word";
  /** Words of the text between the two sentences. */
  readonly distanceWords: number;
  /** How many words, besides the answer and what half of the text is made of, both sentences have. */
  readonly sharedWords: number;
}

export interface GapSettings {
  /** The least number of words between the two sentences. */
  readonly minDistance: number;
  /** Shorter sentences say too little of what is missing. */
  readonly leastWords: number;
  /** Called with the reason for each pair that is left out. */
  readonly leftOut: (reason: string) => void;
}

const name =
  /\p{Lu}[\p{L}\p{M}\p{N}'’-]*(?:[ -](?:(?:of|the|de|da|di|du|la|le|von|van|der|den|and|&) ){0,2}\p{Lu}[\p{L}\p{M}\p{N}'’-]*)*/gu;
const leastName = 3;
/** Not a part of the name: the answer is who it belongs to. */
const possessive = /['’]s?$/u;
/** Shorter ones stand for too many things. */
const number = /(?<![\p{L}\p{N}.,])\d[\d.,]+\d(?![\p{L}\p{N}])/gu;
/**
 * A word of a script without capital letters, in which names do not show, such as Chinese, Arabic or Hindi. Elsewhere it
 * might as well be a verb.
 */
const rareWord =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}|[\p{Lo}\p{M}]{4,})$/u;
/** Longer sentences are tables and lists. */
const mostWords = 60;
/** In words: about what an agent reads at once. */
const sectionWords = 100;
const mostSections = 0.05;

/** Returns every gap of a text, in the order of its sentences. */
export function gapsOf(
  sentences: readonly Sentence[],
  { minDistance, leastWords, leftOut }: GapSettings,
): Gap[] {
  const starts: number[] = [];
  let count = 0;
  for (const { words } of sentences) {
    starts.push(count);
    count += words;
  }
  const { places, kinds } = placesOf(sentences);
  const words = sentences.map(({ text }) => new Set(contentWords(text)));
  const common = commonWords(words);
  const sectionsAllowed = Math.max(2, Math.floor((count / sectionWords) * mostSections));
  const gaps: Gap[] = [];
  for (const [answer, at] of places) {
    if (at.length < 2) continue;
    const sections = new Set(at.map((position) => Math.floor((starts[position] ?? 0) / sectionWords)));
    if (sections.size > sectionsAllowed) {
      leftOut("answer in too many sections");
      continue;
    }
    for (const position of at.slice(1)) {
      const gap = gapAt(position, at);
      if (typeof gap === "string") leftOut(gap);
      else gaps.push(gap);
    }

    function gapAt(position: number, all: readonly number[]): Gap | string {
      const sentence = sentences[position];
      if (sentence === undefined || sentence.words < leastWords || sentence.words > mostWords)
        return "sentence too short or too long";
      if (timesIn(sentence.text, answer) > 1) return "answer twice in its sentence";
      const beside = [sentences[position - 1], sentences[position + 1]];
      if (beside.some((one) => one?.text.includes(answer))) return "answer beside its sentence";
      const evidence = all.findLast((other) => other < position) ?? position;
      const distanceWords = (starts[position] ?? 0) - (starts[evidence + 1] ?? 0);
      if (distanceWords < minDistance) return "evidence too near";
      const own = new Set(contentWords(answer));
      const shared = [...(words[position] ?? [])].filter(
        (word) => words[evidence]?.has(word) && !own.has(word) && !common.has(word),
      );
      const kind = kinds.get(answer) ?? "word";
      return { at: position, evidence, answer, kind, distanceWords, sharedWords: shared.length };
    }
  }
  return gaps.sort((one, other) => one.at - other.at);
}

/** Where each name, number and rare word stands. */
function placesOf(sentences: readonly Sentence[]) {
  const kinds = new Map<string, Gap["kind"]>();
  const rare = new Map<string, number>();
  for (const { text } of sentences) {
    for (const { found, index } of namesIn(text)) {
      // What begins a sentence is a name if it is one elsewhere.
      if (/[\p{L}\p{N}]/u.test(text.slice(0, index))) kinds.set(found, "name");
    }
    for (const [found] of text.matchAll(number)) kinds.set(found, "number");
    for (const word of new Set(wordsOf(text)))
      if (rareWord.test(word)) rare.set(word, (rare.get(word) ?? 0) + 1);
  }
  for (const [word, times] of rare) if (times === 2) kinds.set(word, "word");
  const places = new Map<string, number[]>();
  for (const [position, { text }] of sentences.entries()) {
    const found = new Set<string>([
      ...namesIn(text).map(({ found: one }) => one),
      ...[...text.matchAll(number)].map(([one]) => one),
      ...wordsOf(text).filter((word) => kinds.get(word) === "word"),
    ]);
    for (const one of found) {
      if (!kinds.has(one)) continue;
      const at = places.get(one);
      if (at === undefined) places.set(one, [position]);
      else at.push(position);
    }
  }
  return { places, kinds };
}

function namesIn(text: string): readonly { readonly found: string; readonly index: number }[] {
  return [...text.matchAll(name)]
    .map(({ 0: found, index }) => ({ found: found.replace(possessive, ""), index }))
    .filter(({ found }) => found.length >= leastName);
}

/** Words that more than a tenth of the sentences have say nothing about one of them. */
function commonWords(words: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const set of words) for (const word of set) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Set([...counts].flatMap(([word, times]) => (times > words.length / 10 ? [word] : [])));
}

/** Without the short words of grammar, except in scripts that write a word in one or two signs. */
function contentWords(text: string): string[] {
  return wordsOf(text)
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= 4 || /[^\p{Script=Latin}]/u.test(word));
}

function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}

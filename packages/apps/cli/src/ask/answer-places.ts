import { foldText, sentences, words } from "@palimpsest/memory/text";

/** A sentence of the text that an answer rests on, as far as its words tell. */
export interface AnswerPlace {
  /** Characters of the text that was read: from `start` to before `end`. */
  readonly start: number;
  readonly end: number;
  /** Line of the text that was read, counted from 1. */
  readonly line: number;
  readonly text: string;
  /** Whether the sentence has the answer in it. */
  readonly hasAnswer: boolean;
}

/**
 * Finds the sentences of a text that answer a question: those with the answer in them, the ones that share most with
 * the question first, and then the one that shares most with the question where that is another, as for questions of
 * two facts. They are found by words after the model has answered; the model does not name them.
 * @param most number of sentences
 */
export function answerPlaces(
  text: string,
  { question, answer }: { readonly question: string; readonly answer: string },
  most = 3,
): AnswerPlace[] {
  const asked = new Set(words(question));
  // A heading that says what the question says tells nothing.
  const found = sentencesOf(text).filter((sentence) => words(sentence.text).some((word) => !asked.has(word)));
  const wanted = ` ${wordsIn(answer)} `;
  const isTold = wanted.trim() !== "" && !/^(yes|no)$/.test(wanted.trim());
  const has = found.map((sentence) => isTold && ` ${wordsIn(sentence.text)} `.includes(wanted));
  // Where no sentence has the answer as it is, one with its words is the nearest.
  if (isTold && !has.includes(true)) for (const word of words(answer)) asked.add(word);
  const frequency = new Map<string, number>();
  const wordsOf = found.map((sentence) => new Set(words(sentence.text)));
  for (const own of wordsOf)
    for (const word of own) if (asked.has(word)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  // Rare words of the question tell more than those that every sentence has.
  const weight = (word: string) => Math.log((found.length + 1) / (frequency.get(word) ?? found.length + 1));
  const ranked = found
    .map((sentence, at) => ({
      ...sentence,
      hasAnswer: has[at] ?? false,
      shared: [...(wordsOf[at] ?? [])].reduce((sum, word) => sum + weight(word), 0),
    }))
    .filter(({ hasAnswer, shared }) => hasAnswer || shared > 0)
    .sort((a, b) => b.shared - a.shared || a.start - b.start);
  const telling = ranked.filter(({ hasAnswer }) => hasAnswer).slice(0, most - 1);
  const others = ranked.filter(({ hasAnswer }) => !hasAnswer).slice(0, telling.length === 0 ? 2 : 1);
  return [...telling, ...others].map(({ shared: _, ...place }) => place);
}

/** Single characters of scripts without spaces, and words of all others. */
const units =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const wordsIn = (text: string) => (foldText(text).match(units) ?? []).join(" ");

function sentencesOf(text: string): Omit<AnswerPlace, "hasAnswer">[] {
  const found: Omit<AnswerPlace, "hasAnswer">[] = [];
  let start = 0;
  for (const [at, lineText] of text.split("\n").entries()) {
    let within = start;
    for (const piece of sentences(lineText)) {
      const trimmed = piece.trim();
      if (trimmed !== "") {
        const from = within + piece.indexOf(trimmed);
        found.push({ start: from, end: from + trimmed.length, line: at + 1, text: trimmed });
      }
      within += piece.length;
    }
    start += lineText.length + 1;
  }
  return found;
}

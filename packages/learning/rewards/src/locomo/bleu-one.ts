import { splitWords, stripWhiteSpace } from "../white-space.js";

/**
 * Returns the BLEU of one answer with unigrams only, as sacreBLEU computes `sentence_bleu` with `max_ngram_order=1`,
 * `lowercase=True` and its default tokenization "13a": the fraction of the answer's words that occur in the gold, each
 * at most as often as there, times the brevity penalty exp(1 − |gold| / |answer|) when the answer is shorter. In [0,
 * 1]; 0 without a common word. Smoothing never applies: with unigrams there is nothing to smooth unless the score is 0.
 * Papers on LoCoMo that use NLTK's tokens differ in their treatment of contractions and quotation marks.
 */
export function bleuOne(prediction: string, gold: string): number {
  const words = tokens13a(prediction.toLowerCase());
  const wanted = tokens13a(gold.toLowerCase());
  const left = new Map<string, number>();
  for (const token of wanted) left.set(token, (left.get(token) ?? 0) + 1);
  let same = 0;
  for (const token of words) {
    const count = left.get(token) ?? 0;
    if (count > 0) same += 1;
    left.set(token, count - 1);
  }
  if (same === 0) return 0;
  const penalty = words.length < wanted.length ? Math.exp(1 - wanted.length / words.length) : 1;
  return (penalty * same) / words.length;
}

/**
 * Returns the tokens of mteval-v13a as sacreBLEU splits them: punctuation is separated, except full stops and commas
 * within numbers.
 */
function tokens13a(text: string): string[] {
  const plain = stripWhiteSpace(text)
    .replaceAll("<skipped>", "")
    .replaceAll("-\n", "")
    .replaceAll("\n", " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  return splitWords(
    ` ${plain} `
      .replace(/([{-~[-` -&(-+:-@/])/g, " $1 ")
      .replace(/([^0-9])([.,])/gu, "$1 $2 ")
      .replace(/([.,])([^0-9])/gu, " $1 $2")
      .replace(/([0-9])(-)/g, "$1 $2 "),
  );
}

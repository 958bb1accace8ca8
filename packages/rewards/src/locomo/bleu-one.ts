import { splitWords, stripWhiteSpace } from "../white-space.js";

/**
 * BLEU of one answer with words alone (order 1), as sacreBLEU computes `sentence_bleu` with `max_ngram_order=1`,
 * `lowercase=True` and its default tokenization "13a": the share of the answer's words that the gold holds, no word
 * oftener than there, times the brevity penalty exp(1 − |gold| / |answer|) where the answer is the shorter. In [0, 1];
 * 0 without a common word. Smoothing never enters: with one order there is none to smooth unless the score is 0.
 * Papers on LoCoMo that use NLTK's tokens instead differ by their treatment of contractions and quotation marks.
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

/** The tokens of mteval-v13a, as sacreBLEU cuts them: punctuation apart, but full stops and commas within numbers. */
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

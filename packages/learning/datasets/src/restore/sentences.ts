/** A sentence of a text, with what stands between it and the next one. */
export interface Sentence {
  readonly text: string;
  /** Spaces and ends of lines after it. */
  readonly gap: string;
  readonly words: number;
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
const wordSegmenter = new Intl.Segmenter("en", { granularity: "word" });

/** A segment that ends so goes on in the next: the segmenter takes the dot of a short form for an end. */
const shortForm =
  /(?:^|[\s(."“])(?:\p{Lu}|Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|Gen|Col|Capt|Lt|No|vs|ca|approx|Inc|Ltd|Co)\.$/u;

/** Returns the sentences of a text in order. The end of a line ends a sentence, too. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let open = "";
  const end = (gap: string) => {
    if (open !== "") sentences.push({ text: open, gap, words: wordsOf(open).length });
    open = "";
  };
  for (const line of text.split(/(?<=\n)/)) {
    for (const { segment } of segmenter.segment(line)) {
      const said = segment.trimEnd();
      const gap = segment.slice(said.length);
      open += said;
      if (gap.includes("\n") || !shortForm.test(open)) end(gap);
      else open += gap;
    }
    end("\n");
  }
  return sentences;
}

/** Returns the words of a text as they stand there. */
export function wordsOf(text: string): string[] {
  return [...wordSegmenter.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
}

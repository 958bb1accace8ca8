/** Scripts whose words are not separated by spaces. */
const unspaced =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const anyUnspaced = new RegExp(`[${unspaced}]`, "u");
/** These scripts, and Hangul, whose words have endings. */
const joined = new RegExp(`[${unspaced}\\p{Script=Hangul}]`, "u");
const joinedRuns = new RegExp(`[${unspaced}]+|\\p{Script=Hangul}+`, "gu");
const han = /\p{Script=Han}/u;
const isAscii = /^\p{ASCII}*$/u;

/** A word: letters, digits and their marks. */
const letters = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/**
 * Letters that differ from others by more than a mark, and are written as these where a keyboard lacks them: those of
 * Persian and Urdu on Arabic keyboards among them.
 */
const plain: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ħ: "h",
  ı: "i",
  ς: "σ",
  ی: "ي",
  ى: "ي",
  ک: "ك",
  ة: "ه",
  ہ: "ه",
  ھ: "ه",
};
const plainLetters = new RegExp(`[${Object.keys(plain).join("")}]`, "g");
/** Digits of scripts with digits of their own. */
const ownDigits = /(?![0-9])\p{Nd}/gu;
/**
 * Marks that are not always written: accents of Latin and Greek letters and of the Russian ё, the vowels of Arabic and
 * Hebrew, and what only shapes or breaks a word. Those of Indic scripts and of Thai are parts of their words.
 */
const accents = /([\p{Script=Latin}\p{Script=Greek}])\p{M}+|(?<=е)\u0308/gu;
const unwritten =
  /[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u200c\u2060]|\u200d/g;

/** The Arabic article, and the short words that are written together with it. */
const arabicArticle = /(?<!\p{L})(?:[وفبك]?ال|لل)(?=[\u0621-\u064a]{2})/gu;

/**
 * Folds what two spellings of a word may differ in: case, compatibility forms, accents, vowel marks and digits, so that
 * "cafe" is found in "Café", "strasse" in "Straße" and "2023" in "٢٠٢٣".
 */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(accents, "$1")
    .replace(unwritten, "")
    .normalize("NFC")
    .replace(arabicArticle, "")
    .replace(plainLetters, (letter) => plain[letter] ?? letter)
    .replace(ownDigits, digitValue);
}

/** The digits of a script follow one another from its zero. */
function digitValue(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let zero = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((point - zero) % 10);
}

/**
 * Returns the words that search compares: runs of letters, digits and their marks, folded. Where a script has no spaces,
 * and in Korean, whose words have endings, the pairs of neighboring characters are words, and single Chinese characters:
 * so all words of a phrase are in every text that contains the phrase, which no dictionary's segments are.
 */
export function words(text: string): string[] {
  const folded = foldText(text);
  if (isAscii.test(folded)) return folded.match(/[a-z0-9]+/g) ?? [];
  const found = folded.match(letters) ?? [];
  return joined.test(folded) ? found.flatMap(parts) : found;
}

/** Its words come from dictionaries of the script, whatever the language. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/**
 * Returns words in the order of the text, none within another: where a script has no spaces, those of a dictionary, and
 * in Korean, whose words have endings, the pairs of neighboring characters.
 * @param pattern matches a word of other scripts; global
 */
export function orderedWords(text: string, pattern = letters): string[] {
  const found = text.match(pattern) ?? [];
  if (!joined.test(text)) return found;
  return found.flatMap(splitScripts).flatMap((run) => {
    if (anyUnspaced.test(run))
      return Array.from(segmenter.segment(run), ({ segment }) => segment).flatMap(withoutParticle);
    const characters = joined.test(run) ? [...run] : [];
    return characters.length > 1 ? pairs(characters) : [run];
  });
}

/** The Chinese particle 的 is taken for the second half of a name that the dictionary does not have. */
const withoutParticle = (word: string): string[] =>
  word.length === 2 && word.endsWith("的") ? [word.slice(0, 1), "的"] : [word];

function parts(word: string): string[] {
  if (!joined.test(word)) return [word];
  return splitScripts(word).flatMap((run) => {
    const characters = [...run];
    if (characters.length === 1 || !joined.test(run)) return [run];
    if (anyUnspaced.test(run)) return [...characters.filter((one) => han.test(one)), ...pairs(characters)];
    // A word of two syllables may be one with its ending, a longer one two or more with theirs.
    return characters.length === 2 ? [run, characters[0] as string] : [run, ...pairs(characters)];
  });
}

const pairs = (letters: readonly string[]): string[] =>
  letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);

/** Splits a run of letters where it changes between scripts with and without spaces. */
function splitScripts(word: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (const { 0: run, index } of word.matchAll(joinedRuns)) {
    if (index > end) found.push(word.slice(end, index));
    found.push(run);
    end = index + run.length;
  }
  if (end < word.length) found.push(word.slice(end));
  return found;
}

/** Returns how often each word occurs, in the order of first occurrence. */
export function wordCounts(text: string): {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
} {
  const counts = new Map<string, number>();
  const found = words(text);
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: found.length };
}

const cutWord = new RegExp(`\\s*[^\\s${unspaced}]*$`, "u");

/** Returns a text that was cut somewhere without the word in which it ends; scripts without spaces end anywhere. */
export const withoutCutWord = (text: string): string => text.replace(cutWord, "");

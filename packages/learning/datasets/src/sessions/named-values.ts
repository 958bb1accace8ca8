/**
 * Values in texts: numbers, in digits or as words up to ninety-nine, and names, which are words with a capital letter
 * that no sentence begins with. They are what can be recognized without a model: a value in plain words ("every week",
 * "in the kitchen") is none.
 */
const units =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
const tens = "twenty thirty forty fifty sixty seventy eighty ninety";
const words = new Map<string, number>([
  ...units.split(" ").map((word, value) => [word, value] as const),
  ...tens.split(" ").map((word, index) => [word, (index + 2) * 10] as const),
]);
const ten = tens.split(" ").join("|");
const one = units.split(" ").join("|");
const numberWord = new RegExp(`\\b(?:(${ten})(?:[-\\s](${one}))?|(${one}))\\b`, "gi");
const digits = /\d+(?:[.:]\d+)*/g;

/** Writes numbers in digits and without commas between thousands. */
const inDigits = (text: string): string =>
  text
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, "")
    .replace(numberWord, (whole, decade?: string, unit?: string, alone?: string) => {
      const value = [decade, unit, alone].reduce(
        (sum, word) => sum + (word === undefined ? 0 : (words.get(word.toLowerCase()) ?? 0)),
        0,
      );
      return Number.isFinite(value) ? String(value) : whole;
    });

const numbersIn = (text: string): Set<string> => new Set(inDigits(text).match(digits));

/** Lower-cases, writes numbers in digits, and removes articles, and punctuation outside of numbers. */
function comparedText(text: string): string {
  const plain = inDigits(text.toLowerCase())
    .replace(/(?!(?<=\d)[.:](?=\d))[^\p{L}\p{M}\p{N}\s]/gu, " ")
    .replace(/\b(?:a|an|the)\b/g, " ");
  return plain.split(/\s+/).filter(Boolean).join(" ");
}

const isNumber = (value: string): boolean => /^\d+(?:[.:]\d+)*$/.test(value);

/** Returns whether a text names a value: a number in digits or words, other values as whole words in any case. */
export function namesValue(text: string, value: string): boolean {
  if (isNumber(value)) return numbersIn(text).has(value);
  const wanted = comparedText(value);
  return wanted !== "" && ` ${comparedText(text)} `.includes(` ${wanted} `);
}

/** Returns whether a text names an answer: all of its words in a row, or each of its numbers if it has some. */
export function namesAnswer(text: string, answer: string): boolean {
  const numbers = [...numbersIn(answer)];
  const given = numbersIn(text);
  return namesValue(text, answer) || (numbers.length > 0 && numbers.every((number) => given.has(number)));
}

const capital = "\\p{Lu}[\\p{L}\\p{M}\\p{N}'’-]*";
const nameRun = new RegExp(`(?<=[\\p{L}\\p{N},;)][ \\t])${capital}(?:[ \\t]${capital})*`, "gu");
const pronoun = /^I(?:['’]\w+)?(?:\s|$)/;

/** Returns the names of a text: capitalized words in a row that follow another word of their sentence. */
const namesIn = (text: string): string[] =>
  (text.match(nameRun) ?? [])
    .map((name) => name.replace(pronoun, "").trim())
    .filter((name) => name.length > 1);

/** Returns the numbers of a text with their units: the currency before them, or the word or sign after them. */
function quantitiesIn(text: string): { readonly value: string; readonly unit: string | undefined }[] {
  const found = inDigits(text.toLowerCase()).matchAll(/([$€£]?)(\d+(?:[.:]\d+)*)[ \t-]?(%|\p{L}+)?/gu);
  return [...found].map(([, currency = "", value = "", after]) => ({
    value,
    unit: currency === "" ? after?.replace(/s$/, "") : currency,
  }));
}

/**
 * Returns the values that later statements replaced: numbers of the earlier ones if the right answer has a number, and
 * of these only those with the unit of the answer's if there are such, else their names if the later ones state the
 * answer as a name. What the later statements, the answer or the question contain as well is no old value. Empty if the
 * old value cannot be recognized by these rules.
 */
export function oldValues(of: {
  readonly earlier: readonly string[];
  readonly later: readonly string[];
  readonly answers: readonly string[];
  readonly question: string;
}): string[] {
  const { earlier, later, answers, question } = of;
  const now = [...later, ...answers, question].join("\n");
  const isOld = (value: string) => !namesValue(now, value);
  const wanted = answers.flatMap(quantitiesIn);
  if (wanted.length > 0) {
    // "One" is rarely a number ("one of them").
    const replaced = earlier.flatMap(quantitiesIn).filter(({ value }) => value !== "1" && isOld(value));
    const alike = replaced.filter(({ unit }) =>
      wanted.some((one) => unit !== undefined && one.unit === unit),
    );
    return [...new Set((alike.length > 0 ? alike : replaced).map(({ value }) => value))];
  }
  const stated = later.flatMap(namesIn);
  if (!answers.some((answer) => stated.some((name) => namesValue(answer, name)))) return [];
  return [...new Set(earlier.flatMap(namesIn))].filter(isOld);
}

/**
 * Returns the stem of a word by Porter's algorithm with NLTK's extensions, as LoCoMo's official score uses it. Sources:
 * M. F. Porter, "An algorithm for suffix stripping" (1980), and the differences that NLTK documents for its default
 * mode: a few irregular words, words of at most two characters are unchanged, `ies` and `ied` in words of four
 * characters keep their e, y becomes i only after a consonant that is not the first letter, `bli`, `fulli` and `logi`
 * are suffixes of step 2, and a stem of vowel and consonant gets its e back. Characters are code points.
 */
export function porterStem(word: string): string {
  const lower = word.toLowerCase();
  const irregular = irregularStems.get(lower);
  if (irregular !== undefined) return irregular;
  const letters = Array.from(lower);
  if (letters.length <= 2) return lower;
  let stem = withoutPlural(letters);
  stem = withoutPast(stem);
  stem = withI(stem);
  stem = withoutDoubleSuffix(stem);
  stem = replaceSuffix(stem, steps.three);
  stem = replaceSuffix(stem, steps.four);
  stem = withoutE(stem);
  return withoutDoubleL(stem).join("");
}

/** A word as its code points. */
type Letters = readonly string[];

interface SuffixRule {
  readonly suffix: string;
  readonly replacement: string;
  readonly condition: (stem: Letters) => boolean;
}

const irregularStems = new Map([
  ["sky", "sky"],
  ["skies", "sky"],
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ["news", "news"],
  ["inning", "inning"],
  ["innings", "inning"],
  ["outing", "outing"],
  ["outings", "outing"],
  ["canning", "canning"],
  ["cannings", "canning"],
  ["howe", "howe"],
  ["proceed", "proceed"],
  ["exceed", "exceed"],
  ["succeed", "succeed"],
]);

/** Returns for each letter whether it is a consonant: not one of aeiou, and y only at the front or after a vowel. */
function consonants(word: Letters): boolean[] {
  const flags: boolean[] = [];
  for (const letter of word) {
    const isY = letter === "y";
    flags.push(isY ? flags.at(-1) !== true : !"aeiou".includes(letter));
  }
  return flags;
}

/** Returns how often a vowel is followed by a consonant: Porter's m. */
function measure(word: Letters): number {
  const flags = consonants(word);
  return flags.filter((consonant, i) => consonant && flags[i - 1] === false).length;
}

const hasMeasure = (stem: Letters): boolean => measure(stem) > 0;
const hasMeasureTwo = (stem: Letters): boolean => measure(stem) > 1;
/** Most words end in none of the fifty suffixes, and differ from each in the last letter or two. */
function endsWith(word: Letters, suffix: string): boolean {
  const start = word.length - suffix.length;
  if (start < 0) return false;
  for (let i = suffix.length - 1; i >= 0; i--) if (word[start + i] !== suffix[i]) return false;
  return true;
}
const cut = (word: Letters, count: number): Letters => word.slice(0, word.length - count);

/**
 * Returns whether the word ends in consonant, vowel, consonant, the last not one of wxy; or is a vowel and a consonant.
 */
function endsShort(word: Letters): boolean {
  const [first, second, third] = consonants(word).slice(-3);
  if (word.length === 2) return first === false && second === true;
  const last = word.at(-1) ?? "";
  return first === true && second === false && third === true && !"wxy".includes(last);
}

const endsDouble = (word: Letters): boolean =>
  word.length >= 2 && word.at(-1) === word.at(-2) && consonants(word).at(-1) === true;

/** Applies the first rule whose suffix fits, whether its condition holds or not. */
function replaceSuffix(word: Letters, rules: readonly SuffixRule[]): Letters {
  const rule = rules.find(({ suffix }) => endsWith(word, suffix));
  if (rule === undefined) return word;
  const stem = cut(word, rule.suffix.length);
  return rule.condition(stem) ? [...stem, ...rule.replacement] : word;
}

/** Applies step 1a. */
function withoutPlural(word: Letters): Letters {
  if (endsWith(word, "ies")) return cut(word, word.length === 4 ? 1 : 2);
  if (endsWith(word, "sses")) return cut(word, 2);
  return endsWith(word, "s") && !endsWith(word, "ss") ? cut(word, 1) : word;
}

/** Applies step 1b. */
function withoutPast(word: Letters): Letters {
  if (endsWith(word, "ied")) return cut(word, word.length === 4 ? 1 : 2);
  if (endsWith(word, "eed")) return hasMeasure(cut(word, 3)) ? cut(word, 1) : word;
  const suffix = ["ed", "ing"].find(
    (end) => endsWith(word, end) && consonants(cut(word, end.length)).includes(false),
  );
  if (suffix === undefined) return word;
  const stem = cut(word, suffix.length);
  if (["at", "bl", "iz"].some((end) => endsWith(stem, end))) return [...stem, "e"];
  if (endsDouble(stem)) return "lsz".includes(stem.at(-1) ?? "") ? stem : cut(stem, 1);
  return measure(stem) === 1 && endsShort(stem) ? [...stem, "e"] : stem;
}

/** Applies step 1c. */
function withI(word: Letters): Letters {
  const stem = cut(word, 1);
  return endsWith(word, "y") && stem.length > 1 && consonants(stem).at(-1) === true ? [...stem, "i"] : word;
}

/** Applies step 2. What `alli` leaves goes through it again. */
function withoutDoubleSuffix(word: Letters): Letters {
  if (endsWith(word, "alli") && hasMeasure(cut(word, 4))) return withoutDoubleSuffix(cut(word, 2));
  return replaceSuffix(word, steps.two);
}

/** Applies step 5a. */
function withoutE(word: Letters): Letters {
  const stem = cut(word, 1);
  if (!endsWith(word, "e")) return word;
  const size = measure(stem);
  return size > 1 || (size === 1 && !endsShort(stem)) ? stem : word;
}

/** Applies step 5b. */
const withoutDoubleL = (word: Letters): Letters =>
  endsWith(word, "ll") && hasMeasureTwo(cut(word, 1)) ? cut(word, 1) : word;

/** Makes rules of "suffix replacement" pairs. */
const rulesOf = (pairs: string, condition: SuffixRule["condition"]): SuffixRule[] =>
  pairs.split(", ").map((pair) => {
    const [suffix = "", replacement = ""] = pair.split(">");
    return { suffix, replacement, condition };
  });

const steps = {
  two: [
    ...rulesOf(
      "ational>ate, tional>tion, enci>ence, anci>ance, izer>ize, bli>ble, alli>al, entli>ent, eli>e, ousli>ous, " +
        "ization>ize, ation>ate, ator>ate, alism>al, iveness>ive, fulness>ful, ousness>ous, aliti>al, iviti>ive, " +
        "biliti>ble, fulli>ful",
      hasMeasure,
    ),
    // The l counts as part of the stem, so that "theologi" is treated like "philologi".
    { suffix: "logi", replacement: "log", condition: (stem: Letters) => hasMeasure([...stem, "l"]) },
  ],
  three: rulesOf("icate>ic, ative>, alize>al, iciti>ic, ical>ic, ful>, ness>", hasMeasure),
  four: [
    ...rulesOf("al>, ance>, ence>, er>, ic>, able>, ible>, ant>, ement>, ment>, ent>", hasMeasureTwo),
    {
      suffix: "ion",
      replacement: "",
      condition: (stem: Letters) => hasMeasureTwo(stem) && ["s", "t"].includes(stem.at(-1) ?? ""),
    },
    ...rulesOf("ou>, ism>, ate>, iti>, ous>, ive>, ize>", hasMeasureTwo),
  ],
};

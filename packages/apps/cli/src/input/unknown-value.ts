import { closestWord } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";

/** Returns the end of a message about a word that is not known: which one was probably meant. */
export function orMeant(word: string, known: Iterable<string>): string {
  const meant = closestWord(word, known);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/** Returns the error about a value that is none of those there are. */
export function unknownValue(what: string, value: string, known: readonly string[]): PalimpsestError {
  return new PalimpsestError(
    "INVALID_ARGUMENT",
    `${what}: ${JSON.stringify(value)} is not one of ${known.join(", ")}${orMeant(value, known)}`,
  );
}

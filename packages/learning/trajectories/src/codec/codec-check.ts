import { PalimpsestError } from "@palimpsest/wire";

/** @throws {PalimpsestError} CODEC when the bytes are not such a message */
export function decodeMessage<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new PalimpsestError("CODEC", `bytes are not a ${what} message`, { cause });
  }
}

/** @throws {PalimpsestError} CODEC when the value is not one of the words */
export function oneOf<T extends string>(
  words: readonly T[],
  value: string | null | undefined,
  field: string,
): T {
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) {
    throw new PalimpsestError("CODEC", `${field} is "${value}"; it must be one of ${words.join(", ")}`);
  }
  return word;
}

/** @throws {PalimpsestError} CODEC naming the field, unless the condition holds */
export function check(holds: boolean, field: string, fault: string): void {
  if (!holds) {
    throw new PalimpsestError("CODEC", `${field} ${fault}`);
  }
}

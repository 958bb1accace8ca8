import { InvalidArgumentError } from "commander";

/** `a=1,b=2` as a record of texts. */
export function parseKeyValues(text: string): Record<string, string> {
  const entries = text.split(",").map((part) => {
    const at = part.indexOf("=");
    if (at < 1) throw new InvalidArgumentError(`"${part}" is not NAME=VALUE; write NAME=VALUE,NAME=VALUE`);
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(entries);
}

/** `a=1,b=0.5` as a record of amounts. */
export function parseQuantities(text: string): Record<string, number> {
  return Object.fromEntries(
    Object.entries(parseKeyValues(text)).map(([name, value]) => [name, parseAmount(value)] as const),
  );
}

/** A number that is not negative. */
export function parseAmount(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError(`"${text}" is not a number ≥ 0`);
  }
  return value;
}

/** A whole number that is not negative. */
export function parseWhole(text: string): number {
  const value = parseAmount(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError(`"${text}" is not a whole number`);
  return value;
}

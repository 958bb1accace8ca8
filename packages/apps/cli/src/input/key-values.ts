import { InvalidArgumentError } from "commander";

/** Parses `a=1,b=2` into a record of strings. */
export function parseKeyValues(text: string): Record<string, string> {
  const entries = text.split(",").map((part) => {
    const at = part.indexOf("=");
    if (at < 1) throw new InvalidArgumentError(`"${part}" is not NAME=VALUE; write NAME=VALUE,NAME=VALUE`);
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, place) => names.indexOf(name) < place);
  if (twice !== undefined) throw new InvalidArgumentError(`"${text}" has ${twice} twice; write it once`);
  return Object.fromEntries(entries);
}

/** Parses `a=1,b=0.5` into a record of amounts. */
export function parseQuantities(text: string): Record<string, number> {
  return Object.fromEntries(
    Object.entries(parseKeyValues(text)).map(([name, value]) => [name, parseAmount(value)] as const),
  );
}

/** Parses an option that may be repeated: `--x a=1 --x b=2,c=3`. The last value of a name wins. */
export function collect<Value>(
  parse: (text: string) => Record<string, Value>,
): (text: string, before?: Record<string, Value>) => Record<string, Value> {
  return (text, before) => ({ ...before, ...parse(text) });
}

/**
 * Parses one environment variable per use of the option: `NAME=VALUE`, with any characters in the value, or `NAME`.
 * @param own variables of this command, from which a name without a value is taken
 */
export function collectVariables(
  own: Readonly<Record<string, string | undefined>>,
): (text: string, before?: Record<string, string>) => Record<string, string> {
  return (text, before) => {
    const at = text.indexOf("=");
    const name = at < 0 ? text : text.slice(0, at);
    if (name === "")
      throw new InvalidArgumentError(
        `"${text}" does not start with the name of a variable; write NAME=VALUE or NAME`,
      );
    const value = at < 0 ? own[name] : text.slice(at + 1);
    if (value === undefined)
      throw new InvalidArgumentError(`${name} is not set here; write ${name}=VALUE, or set it first`);
    return { ...before, [name]: value };
  };
}

/** Parses a number that is not negative. */
export function parseAmount(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError(`"${text}" is not a number ≥ 0`);
  }
  return value;
}

/** Parses a number above 0. */
export function parsePositive(text: string): number {
  const value = parseAmount(text);
  if (value === 0) throw new InvalidArgumentError(`"${text}" is not a number above 0`);
  return value;
}

/** Parses a whole number, which may be negative. */
export function parseInteger(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(value))
    throw new InvalidArgumentError(`"${text}" is not a whole number`);
  return value;
}

/** Parses a count of at least one. */
export function parseCount(text: string): number {
  const value = parseWhole(text);
  if (value < 1) throw new InvalidArgumentError(`"${text}" is not a whole number ≥ 1`);
  return value;
}

/** Parses a port; 0 stands for a free one. */
export function parsePort(text: string): number {
  const value = parseWhole(text);
  if (value > 65_535)
    throw new InvalidArgumentError(`"${text}" is not a port; give a number from 0 to 65535`);
  return value;
}

/** Parses a list of lengths such as "50,200 800" without duplicates. */
export function parseLengths(text: string): number[] {
  const lengths = text.split(/[\s,]+/).filter((part) => part !== "");
  if (lengths.length === 0) throw new InvalidArgumentError(`"${text}" contains no length; write 50,200,800`);
  const counts = lengths.map(parseCount);
  const twice = counts.find((count, place) => counts.indexOf(count) < place);
  if (twice !== undefined) throw new InvalidArgumentError(`"${text}" contains ${twice} twice; write it once`);
  return counts;
}

/** Parses a whole number that is not negative. */
export function parseWhole(text: string): number {
  const value = parseAmount(text);
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError(`"${text}" is not a whole number up to ${Number.MAX_SAFE_INTEGER}`);
  return value;
}

/** Parses a range of ports, such as 20000-20999. */
export function parsePortRange(text: string): { readonly first: number; readonly last: number } {
  const [, from = "", to = ""] = /^(\d+)-(\d+)$/.exec(text.trim()) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === "" || first < 1 || last > 65_535 || first > last)
    throw new InvalidArgumentError(
      `"${text}" is not a range of ports; write FIRST-LAST, such as 20000-20999`,
    );
  return { first, last };
}

/** Refuses an empty value, which is most often a variable of a script that is not set. */
export function parseFilled(text: string): string {
  if (text === "") throw new InvalidArgumentError("It is empty; give a value, or leave the option out.");
  return text;
}

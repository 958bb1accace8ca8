/**
 * Says what is wrong with what a program passes to a function: the field, its value, what to give, and the name that was
 * probably meant. Options that are checked here need no zod, without which actors' processes start faster.
 */
import { shownValue, unknownKeys } from "@palimpsest/std/input";
import { PalimpsestError, withCaller } from "@palimpsest/wire";

export interface Rule {
  readonly passes: (value: unknown) => boolean;
  /** What to give, in words that follow "give". */
  readonly give: string;
}

export type Rules = Readonly<Record<string, Rule>>;

const isNumber = (value: unknown): value is number => typeof value === "number" && !Number.isNaN(value);

export const rules = {
  milliseconds: {
    passes: (value) => isNumber(value) && value >= 0,
    give: "a number of milliseconds, 0 or more, or Infinity",
  },
  retries: {
    passes: (value) => isNumber(value) && (Number.isInteger(value) || value === Infinity) && value >= -1,
    give: "a whole number, or -1 for no limit",
  },
  count: {
    passes: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
    give: "a whole number, 1 or more",
  },
  wholeNumber: {
    passes: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    give: "a whole number, 0 or more",
  },
  integer: { passes: (value) => Number.isSafeInteger(value), give: "a whole number" },
  positive: { passes: (value) => isNumber(value) && value > 0, give: "a number above 0" },
  flag: { passes: (value) => typeof value === "boolean", give: "true or false" },
  text: { passes: (value) => typeof value === "string", give: "a text" },
  filledText: {
    passes: (value) => typeof value === "string" && value !== "",
    give: "a text that is not empty",
  },
  texts: {
    passes: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
    give: "a list of texts",
  },
  signal: { passes: (value) => value instanceof AbortSignal, give: "an AbortSignal" },
  callback: { passes: (value) => typeof value === "function", give: "a function" },
  anything: { passes: () => true, give: "anything" },
} as const satisfies Rules;

/** Options of functions that wait. */
export const waitRules = { timeoutMs: rules.milliseconds, signal: rules.signal } as const satisfies Rules;

/**
 * Refuses what is not an object, keys that no rule knows, and values that do not pass. Undefined counts as absent.
 * @param what names the object in messages, such as "options of with()"
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
export function checkFields(value: unknown, known: Rules, what: string): void {
  const names = Object.keys(known);
  if (!isPlainObject(value)) throw refused(what, `${isOf(value)}: give an object with ${names.join(", ")}`);
  for (const [name, field] of Object.entries(value)) {
    const rule = known[name];
    if (rule === undefined) throw refused(what, unknownKeys([name], names));
    if (field !== undefined && !rule.passes(field))
      throw refused(what, `${name} ${isOf(field)}: give ${rule.give}`);
  }
}

/** A promise is an object without fields of its own: it was not awaited. */
function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !("then" in value);
}

/** Refuses options that are no object, whose fields are checked elsewhere. @throws {PalimpsestError} INVALID_ARGUMENT */
export function checkObject(value: unknown, what: string): void {
  if (!isPlainObject(value)) throw refused(what, `${isOf(value)}: give an object, or leave it out`);
}

/** Refuses one value. @throws {PalimpsestError} INVALID_ARGUMENT */
export function checkValue(value: unknown, rule: Rule, what: string): void {
  if (!rule.passes(value)) throw refused(what, `${isOf(value)}: give ${rule.give}`);
}

/** The error begins with the caller's frames: what is wrong stands there. */
export function refused(what: string, problem: string): PalimpsestError {
  return withCaller(new PalimpsestError("INVALID_ARGUMENT", `${what}: ${problem}`));
}

const isOf = (value: unknown) => `is ${shownValue(value)}`;

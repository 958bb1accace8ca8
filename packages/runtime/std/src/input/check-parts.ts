import { unknownKeys } from "./read-input.js";
import { shownValue } from "./shown-value.js";

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** As long as paths of Linux may be. */
const longestPath = 4_096;

/** What a part of an argument may be, in the words of messages. */
const kinds = {
  "a text": (value: unknown) => typeof value === "string" && value !== "",
  "a path": (value: unknown) => typeof value === "string" && value !== "" && value.length <= longestPath,
  "a number": (value: unknown) => typeof value === "number" && !Number.isNaN(value),
  "true or false": (value: unknown) => typeof value === "boolean",
  "a function": (value: unknown) => typeof value === "function",
  "a list": (value: unknown) => Array.isArray(value),
  "an object": isObject,
  "a schema, such as z.strictObject({})": (value: unknown) =>
    isObject(value) && typeof Reflect.get(value, "safeParse") === "function",
  "any value": () => true,
} as const;

export type Kind = keyof typeof kinds;

/** Refuses an argument of another kind than a function takes, where its parts are no data that a schema could parse. */
export function checkKind(
  value: unknown,
  what: string,
  kind: Kind,
  refuse: (problem: string) => Error,
): void {
  if (!kinds[kind](value)) throw refuse(`${what}: must be ${kind}; it is ${shownValue(value)}`);
}

/**
 * Refuses an argument that lacks a part, has one of another kind, or has one that the function does not know.
 * @param parts the kind of each part by its name; `?` after the name means that it may be left out
 */
export function checkParts(
  value: unknown,
  what: string,
  parts: Readonly<Record<string, Kind>>,
  refuse: (problem: string) => Error,
): void {
  checkKind(value, what, "an object", refuse);
  const given = isObject(value) ? value : {};
  const known = Object.keys(parts).map((name) => name.replace("?", ""));
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw refuse(`${what}: ${unknownKeys(unknown, known)}`);
  for (const [name, kind] of Object.entries(parts)) {
    const part: unknown = Reflect.get(given, name.replace("?", ""));
    if (part !== undefined || !name.endsWith("?"))
      checkKind(part, `${what}: ${name.replace("?", "")}`, kind, refuse);
  }
}

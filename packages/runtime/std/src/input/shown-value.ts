import { inspect } from "node:util";

/** Names of fields that hold a secret. `tokenIds` and `maxTokens` are not among them. */
const secretName =
  /(?:token|passw(?:or)?d|passphrase|secret|api[-_]?key|private[-_]?key|authorization|cookie)$/i;
const secretField = new RegExp(
  `(\\w*${secretName.source.slice(0, -1)}["']?: )("[^"]*"|'[^']*'|\`[^\`]*\`)`,
  "gi",
);
const urlPassword = /:\/\/[^\s@/]*@/g;

const maxCharacters = 120;

/**
 * Shows a value in a message: in one line, bounded, and without secrets.
 * @param name the name of the field that holds it, which tells secrets
 */
export function shownValue(value: unknown, name = ""): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") {
    if (secretName.test(name) && value !== "") return "hidden here, because it is a secret";
    // A value of JSON is always well formed, even if half an emoji was given.
    return JSON.stringify(bounded(value.slice(0, 2 * maxCharacters).replace(urlPassword, "://…@"), 80));
  }
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  const text = inspect(value, {
    depth: 1,
    breakLength: Number.POSITIVE_INFINITY,
    maxArrayLength: 5,
    maxStringLength: 80,
  });
  return bounded(text.replace(secretField, "$1…").replace(urlPassword, "://…@"), maxCharacters);
}

const bounded = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);

/**
 * Removes secrets from log lines, by the name of a field and by the form of a URL. It does not cover free text that a
 * caller builds: messages are constant sentences.
 */

export const redacted = "[redacted]";

/** Fields that hold a secret whatever their value is. `tokenIds` and `maxTokens` are not among them. */
export const secretFields = [
  "token",
  "joinToken",
  "authToken",
  "accessToken",
  "bearerToken",
  "hfToken",
  "password",
  "passphrase",
  "secret",
  "clientSecret",
  "apiKey",
  "privateKey",
  "authorization",
  "cookie",
  "credentials",
] as const;

const secretNames = new Set(secretFields.map(plain));
const maxDepth = 6;
/** The scheme is left out: a search that begins at each letter of a long text and reads on would take minutes. */
const urlPassword = /:\/\/([^\s:@/]*):[^\s@/]+@/g;

/** Returns a copy without secrets. Class instances other than errors are returned unchanged. */
export function redactRecord(record: Record<string, unknown>): Record<string, unknown> {
  return redactFields(record, 0);
}

function redactFields(record: Record<string, unknown>, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    copy[name] =
      secretNames.has(plain(name)) && value !== undefined ? redacted : redactValue(value, depth + 1);
  }
  return copy;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") {
    return redactText(value);
  }
  if (depth > maxDepth) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => redactValue(item, depth + 1));
  }
  return isPlainObject(value) ? redactFields(value, depth) : value;
}

/** Returns the text with passwords in URLs redacted. */
export function redactText(text: string): string {
  return text.includes("://") ? text.replace(urlPassword, `://$1:${redacted}@`) : text;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Bounds of the texts that people give: the head keeps them in its memory and in Redis, and sends them with every listing. */
import { PalimpsestError } from "@palimpsest/wire";

const longestBytes = {
  name: 1_024,
  key: 256,
  value: 4_096,
  together: 64 * 1_024,
  argument: 128 * 1_024,
} as const;
const shownCharacters = 60;

/** Returns a text as messages show it: quoted, and cut where it is long. */
export function shownText(text: string): string {
  if (text.length <= shownCharacters) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, shownCharacters))}… (${Buffer.byteLength(text)} bytes)`;
}

/** @throws {PalimpsestError} LIMIT_EXCEEDED naming the limit */
export function checkName(field: string, text: string): void {
  bound(field, text, longestBytes.name);
}

/** Checks texts by name, such as labels and metadata. @throws {PalimpsestError} LIMIT_EXCEEDED naming field and limit */
export function checkTexts(field: string, texts: Readonly<Record<string, string>>): void {
  let together = 0;
  for (const [key, value] of Object.entries(texts)) {
    bound(`${field}: the key ${shownText(key)}`, key, longestBytes.key);
    bound(`${field}[${shownText(key)}]`, value, longestBytes.value);
    together += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (together > longestBytes.together) throw tooLong(field, together, longestBytes.together);
}

/** Checks the arguments of a program for what Linux does not take. @throws {PalimpsestError} LIMIT_EXCEEDED, INVALID_ARGUMENT */
export function checkArguments(argv: readonly string[]): void {
  for (const [at, text] of argv.entries()) {
    bound(`argv[${at}]`, text, longestBytes.argument - 1);
    if (text.includes("\0"))
      throw new PalimpsestError("INVALID_ARGUMENT", `argv[${at}] has a NUL character: leave it out`);
  }
}

function bound(field: string, text: string, mostBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes) throw tooLong(field, bytes, mostBytes);
}

function tooLong(field: string, bytes: number, mostBytes: number): PalimpsestError {
  return new PalimpsestError(
    "LIMIT_EXCEEDED",
    `${field} takes ${bytes} bytes, more than ${mostBytes}: shorten it`,
  );
}

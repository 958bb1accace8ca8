/** Everything that a terminal may obey instead of showing: C0 but tab and line feed, DEL, C1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** CSI sequences such as colors and cursor moves, and OSC sequences such as titles and links, as a whole. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
const sequences = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/**
 * Text of others, such as a job's output or an actor's role, as a terminal may show it: it could otherwise move the
 * cursor, set the title or write to the clipboard. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(sequences, "").replace(controls, "");
}

/** One cell or line of it: without line feeds, so that a name cannot pass for a row of its own. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\u2028\u2029]+/g, " ");
}

/** JSON for people and programs. JSON.stringify escapes C0; the other characters that a terminal obeys are escaped here. */
export function printableJson(value: unknown): string {
  const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\u2028\u2029]/g, unicode);
}

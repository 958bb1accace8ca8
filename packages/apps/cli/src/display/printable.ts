/** Matches characters that a terminal may interpret instead of showing: C0 except tab and line feed, DEL, C1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Matches whole CSI sequences, such as colors and cursor moves, and OSC sequences, such as titles and links. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
const sequences = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/**
 * Makes foreign text, such as a job's output or an actor's role, safe to show in a terminal: it could otherwise move
 * the cursor, set the title or write to the clipboard. Line feeds and tabs are kept.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(sequences, "").replace(controls, "");
}

/** Makes one cell or line safe. Line feeds are removed as well, so that a name cannot look like a row of its own. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\u2028\u2029]+/g, " ");
}

/**
 * Formats JSON for people and programs. JSON.stringify escapes C0; the other characters that terminals interpret are
 * escaped here.
 */
export function printableJson(value: unknown, indent = 2): string {
  const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\u2028\u2029]/g, unicode);
}

import { printable } from "./printable.js";

/** Matches colors and styles of text, which change nothing but looks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
const styles = /(\u001b\[[0-9;:]*m)/;
/** Matches what may be the beginning of a sequence, or of a Windows line end, whose rest has not arrived. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
const unfinished = /(?:\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u001b]{0,1000}\u001b?)?|\r)$/;
const reset = "\u001b[0m";

/**
 * The output of a process for a terminal. Colors stay. The carriage return of a progress bar ends a line, as bars of
 * several processes cannot overwrite one line; titles, cursor moves and other control characters are left out.
 */
export class TerminalText {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #styled = false;

  push(bytes: Uint8Array): string {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    this.#rest = unfinished.exec(text)?.[0] ?? "";
    return this.#shown(text.slice(0, text.length - this.#rest.length));
  }

  /** Returns the rest, and ends the last style, which would otherwise be that of the user's prompt. */
  end(): string {
    const rest = this.#shown(this.#rest + this.#decoder.decode());
    return this.#styled ? rest + reset : rest;
  }

  #shown(text: string): string {
    const parts = text.replace(/\r+\n?/g, "\n").split(styles);
    if (parts.length > 1) this.#styled = true;
    return parts.map((part, index) => (index % 2 === 1 ? part : printable(part))).join("");
  }
}

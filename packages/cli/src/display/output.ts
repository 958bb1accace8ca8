import { printable } from "./printable.js";

/** Writes a process's output unchanged to a file or pipe, and without control characters to a terminal. */
export function writeOutput(text: string): void {
  process.stdout.write(process.stdout.isTTY ? printable(text) : text);
}

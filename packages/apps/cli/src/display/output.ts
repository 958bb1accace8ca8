import { TerminalText } from "./terminal-text.js";

/**
 * Writes a process's output byte for byte to a file or pipe, and without what a terminal would obey, except for colors, to
 * a terminal.
 */
export async function writeOutput(
  output: AsyncIterable<Uint8Array>,
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stdout,
): Promise<void> {
  const text = stream.isTTY ? new TerminalText() : undefined;
  for await (const bytes of output) stream.write(text ? text.push(bytes) : bytes);
  if (text) stream.write(text.end());
}

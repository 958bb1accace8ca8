/** Decodes the output of a process, whose characters may be cut anywhere. Bytes that are not UTF-8 become U+FFFD. */
export async function* textOf(output: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  for await (const bytes of output) {
    const text = decoder.decode(bytes, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

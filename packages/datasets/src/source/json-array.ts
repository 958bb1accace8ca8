const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const opening = [0x5b, 0x7b];
const closing = [0x5d, 0x7d];
const blank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** An element's JSON text, and where its bytes stand in the file. */
export interface ArrayElement {
  readonly text: string;
  readonly offset: number;
  readonly sizeBytes: number;
}

/**
 * The texts of a JSON array's elements, one after another: a file of gigabytes, longer than any string may be, is read
 * in the memory of one element. Only brackets and strings are looked at; whether an element is JSON is its reader's to find.
 *
 * @param chunks UTF-8; the first byte that is not blank is `[`
 * @throws {SyntaxError} where the array does not end, or something stands behind it
 */
export async function* jsonArrayElements(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArrayElement> {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let ended = false;
  /** Pieces of the element that is being read, from chunks before. */
  let pieces: Uint8Array[] = [];
  let elements = 0;
  /** Where the chunk that is being read begins, and where its element does. */
  let chunkOffset = 0;
  let offset = 0;
  const take = (last: Uint8Array): ArrayElement => {
    const bytes = Buffer.concat([...pieces, last]);
    const taken = { text: bytes.toString("utf8").trim(), offset, sizeBytes: bytes.length };
    pieces = [];
    offset += bytes.length + 1;
    return taken;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (ended) {
        if (!blank(byte))
          throw new SyntaxError(`something stands behind the array's end: "${String.fromCharCode(byte)}"`);
      } else if (byte === quote) inString = true;
      else if (opening.includes(byte)) {
        depth += 1;
        if (depth > 1) continue;
        start = at + 1;
        offset = chunkOffset + start;
      } else if (closing.includes(byte)) {
        depth -= 1;
        if (depth > 0) continue;
        const last = take(chunk.subarray(start, at));
        if (last.text !== "" || elements > 0) yield last;
        ended = true;
      } else if (byte === comma && depth === 1) {
        yield take(chunk.subarray(start, at));
        elements += 1;
        start = at + 1;
      }
    }
    if (depth > 0) pieces.push(chunk.subarray(start));
    chunkOffset += chunk.length;
  }
  if (!ended)
    throw new SyntaxError(`the array does not end after element ${elements + 1}: the file is cut off`);
}

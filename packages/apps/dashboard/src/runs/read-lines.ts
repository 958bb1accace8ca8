/** Reads complete lines of a file from an offset on. An incomplete line at its end is left for the next time. */
import { open } from "node:fs/promises";

export interface ReadLine {
  readonly offsetBytes: number;
  readonly sizeBytes: number;
  /** Undefined when the line is longer than the limit and was skipped. */
  readonly text: string | undefined;
}

export interface LineBounds {
  /** Number of bytes that are read at once. */
  readonly blockBytes: number;
  readonly maxLineBytes: number;
}

/** Yields the complete lines from an offset on, except empty ones. */
export async function* readLines(
  path: string,
  fromBytes: number,
  { blockBytes, maxLineBytes }: LineBounds,
): AsyncGenerator<ReadLine> {
  const file = await open(path, "r");
  try {
    let held = Buffer.alloc(0);
    let heldAt = fromBytes;
    let skipping = false;
    const block = Buffer.alloc(blockBytes);
    for (let at = fromBytes; ; ) {
      const { bytesRead } = await file.read(block, 0, blockBytes, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      const bytes = Buffer.concat([held, block.subarray(0, bytesRead)]);
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        const place = { offsetBytes: heldAt + from, sizeBytes: end - from };
        if (skipping) yield { ...place, text: undefined };
        else if (end > from) yield { ...place, text: bytes.subarray(from, end).toString("utf8") };
        skipping = false;
        from = end + 1;
      }
      held = Buffer.from(bytes.subarray(from));
      heldAt += from;
      if (held.byteLength > maxLineBytes) {
        heldAt += held.byteLength;
        held = Buffer.alloc(0);
        skipping = true;
      }
    }
  } finally {
    await file.close();
  }
}

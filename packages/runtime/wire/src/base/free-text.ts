/** The longest free text in bytes. */
const maxFreeTextBytes = 64 * 1024;
/** Room for the mark that says how much was cut. */
const markBytes = 64;

/**
 * Makes a text of user code or of another program fit to be sent, kept and shown: half a surrogate pair becomes U+FFFD,
 * as structured formats have no notation for it, and what is longer than `maxBytes` is cut at a whole character and says
 * so at its end.
 * @param maxBytes the longest result in bytes of UTF-8. Default: 64 KiB
 */
export function freeText(text: string, maxBytes = maxFreeTextBytes): string {
  // A unit of UTF-16 has at most three bytes in UTF-8, so short texts need not be measured.
  if (text.length * 3 <= maxBytes) return text.toWellFormed();
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= maxBytes) return text.toWellFormed();
  const { read, written } = new TextEncoder().encodeInto(
    text,
    new Uint8Array(Math.max(0, maxBytes - markBytes)),
  );
  return `${text.slice(0, read).toWellFormed()} … [${sizeBytes - written} bytes were cut here]`;
}

/**
 * GPT-2's printable substitutes for the 256 bytes: printable Latin-1 bytes map to themselves, the others to
 * the characters from U+0100 on. Entry b is the character of byte b.
 */
export const byteCharacters: readonly string[] = (() => {
  const printable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
})();

/**
 * GPT-2's pre-tokenization: letters, digits or symbols, each with one optional space before, and runs of spaces. Spaces are
 * those of Unicode; JavaScript's `\s` has U+FEFF and lacks U+0085.
 */
export const wordPattern =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

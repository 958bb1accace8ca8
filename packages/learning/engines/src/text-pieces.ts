/**
 * Encodes text as token ids without a vocabulary. An id spells its own piece of text, about four characters of English,
 * so that no download is needed, any text is restored exactly, and equal words have equal ids in every process. It is
 * meant for servers that take text: ids reach 2^52 and belong to no model.
 */
const asciiCharacters = 7;
const otherCharacters = 3;
const asciiRoom = 2 ** 50;

/**
 * Matches a word with the space before it, in pieces; digits by threes; runs of white space and of punctuation;
 * ideographs and kana one by one; other letters by threes.
 */
const pieces =
  / ?[A-Za-z]{1,6}|\d{1,3}|[\t\n\r ]{1,7}|[!-/:-@[-`{-~]{1,3}|[\0-\x7f]|[\u2e80-\u9fff\uac00-\ud7af]|[\u0080-\u2e7f]{1,3}|[\ud800-\udbff][\udc00-\udfff]|[\0-\uffff]/g;
/** Matches pieces so that a text has as few ids as whole characters allow. */
const densePieces = /[\0-\x7f]{1,7}|[\u0080-\uffff]{1,3}(?<![\ud800-\udbff](?=[\udc00-\udfff]))/g;

/** @param style "dense": the fewest ids, which do not end at word boundaries */
export function encodePieces(text: string, style: "words" | "dense" = "words"): number[] {
  return (text.match(style === "words" ? pieces : densePieces) ?? []).map(idOf);
}

export function decodePieces(tokenIds: readonly number[]): string {
  return tokenIds.map(pieceOf).join("");
}

/** Encodes the characters as digits in base 128 or 65536 after a leading 1, which preserves their number. */
function idOf(piece: string): number {
  let ascii = piece.length <= asciiCharacters;
  for (let i = 0; ascii && i < piece.length; i++) ascii = piece.charCodeAt(i) < 128;
  const base = ascii ? 128 : 65_536;
  let id = 1;
  for (let i = 0; i < piece.length; i++) id = id * base + piece.charCodeAt(i);
  return ascii ? id : id + asciiRoom;
}

function pieceOf(id: number): string {
  if (!Number.isSafeInteger(id) || id < 128) return "\ufffd";
  const ascii = id < asciiRoom;
  const base = ascii ? 128 : 65_536;
  const units: number[] = [];
  for (let rest = ascii ? id : id - asciiRoom; rest > 1; rest = Math.floor(rest / base)) {
    if (units.length === (ascii ? asciiCharacters : otherCharacters)) return "\ufffd";
    units.push(rest % base);
  }
  return String.fromCharCode(...units.reverse());
}

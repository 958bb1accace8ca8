import { Buffer, isUtf8 } from "node:buffer";

/**
 * The encodings of Unicode. Documents, data and memory files are all decoded here; encodings of single languages are
 * read only in documents, by the command.
 */
export type UnicodeEncoding = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** The byte order mark with which a file begins. UTF-32 comes before UTF-16, whose mark its own begins with. */
const marks: readonly (readonly [UnicodeEncoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-32le", [0xff, 0xfe, 0, 0]],
  ["utf-32be", [0, 0, 0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Returns the encoding that a file's byte order mark names; undefined for a file without one. */
export function markedEncoding(bytes: Uint8Array): UnicodeEncoding | undefined {
  return marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
}

/**
 * Returns UTF-16 or UTF-32 of a file by its mark, or by the zero bytes of a first character in ASCII, as JSON's is;
 * undefined for other files.
 */
export function wideEncoding(bytes: Uint8Array): UnicodeEncoding | undefined {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return marked === "utf-8" ? undefined : marked;
  const [a, b, c, d] = bytes;
  if (a === 0 && b === 0 && c === 0 && d !== 0) return "utf-32be";
  if (a !== 0 && b === 0 && c === 0 && d === 0) return "utf-32le";
  if (a === 0 && b !== 0) return "utf-16be";
  return a !== 0 && b === 0 ? "utf-16le" : undefined;
}

/** Decodes bytes without their byte order mark. What is malformed becomes U+FFFD. */
export function decodeUnicode(bytes: Uint8Array, encoding: UnicodeEncoding): string {
  return encoding.startsWith("utf-32")
    ? decodeUtf32(bytes, encoding === "utf-32le")
    : new TextDecoder(encoding).decode(bytes);
}

/** Returns UTF-8 without its byte order mark; undefined if the bytes are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? decodeUnicode(bytes, "utf-8") : undefined;
}

/** Returns the offset of the first byte that is not UTF-8; -1 for bytes that are. */
function firstNotUtf8(bytes: Uint8Array): number {
  if (isUtf8(bytes)) return -1;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  let offset = 0;
  let from = 0;
  for (;;) {
    const at = text.indexOf("\ufffd", from);
    offset += Buffer.byteLength(text.slice(from, at));
    // U+FFFD may be written in the text itself.
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return offset;
    offset += 3;
    from = at + 1;
  }
}

/**
 * Says why bytes are no text in UTF-8, and how to convert the file; undefined for bytes that are.
 * @param offset of the bytes in their file
 */
export function utf8Problem(bytes: Uint8Array, offset = 0): string | undefined {
  const at = firstNotUtf8(bytes);
  if (at >= 0) {
    const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0");
    return `byte ${offset + at} (0x${byte}) is not UTF-8; ${conversion()}`;
  }
  const disguise = asciiDisguise(bytes);
  return disguise === undefined ? undefined : `is written in ${disguise}; ${conversion(disguise)}`;
}

/**
 * Returns the encoding of a text that is written in ASCII bytes but is not ASCII, so that it passes for UTF-8: those of
 * ISO-2022 switch by escape sequences, HZ by tildes and braces.
 */
export function asciiDisguise(
  bytes: Uint8Array,
): "ISO-2022-JP" | "ISO-2022-KR" | "ISO-2022-CN" | "HZ" | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const escapes = buffer.includes("\x1b$");
  if (!escapes && !buffer.includes("~{")) return undefined;
  const text = buffer.toString("latin1");
  if (escapes) {
    if (text.includes("\x1b$)C")) return "ISO-2022-KR";
    const has = (...sets: readonly string[]) => sets.some((set) => text.includes(`\x1b$${set}`));
    if (has(")A", ")G", ")E")) return "ISO-2022-CN";
    if (has("@", "B", "(D", "(O", "(P", "(Q")) return "ISO-2022-JP";
  }
  if (/~\{(?:[!-w][!-~]){4,}~\}/.test(text)) return "HZ";
  return undefined;
}

/** Says how a file is converted to UTF-8. */
export const conversion = (encoding = "ENCODING") =>
  `convert the file to UTF-8, for example with iconv -f ${encoding.toUpperCase()} -t UTF-8`;

function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const point = view.getUint32(at, littleEndian);
    if (at === 0 && point === 0xfeff) continue;
    const isCharacter = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    part += isCharacter ? String.fromCodePoint(point) : "\ufffd";
    if (part.length < 1 << 16) continue;
    parts.push(part);
    part = "";
  }
  return parts.join("") + part + (bytes.length % 4 === 0 ? "" : "\ufffd");
}

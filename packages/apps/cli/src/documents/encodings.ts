import { decodeUnicode, markedEncoding, type UnicodeEncoding } from "@palimpsest/memory/unicode-text";
import { PalimpsestError } from "@palimpsest/wire";
import iconv from "iconv-lite";

/** An encoding of text that can be decoded. */
export interface Encoding {
  /** The name for people, such as Windows-1252. */
  readonly name: string;
  /** Decodes bytes without their byte order mark. What is malformed becomes U+FFFD. */
  decode(bytes: Uint8Array): string;
}

/** Names that neither the web's encodings nor iconv-lite have, without what is not a letter or a digit. */
const aliases: Readonly<Record<string, string>> = {
  cp65001: "utf-8",
  utf16: "utf-16le",
  utf32: "utf-32le",
  utf32le: "utf-32le",
  utf32be: "utf-32be",
  cp932: "shift_jis",
  windows31j: "shift_jis",
  shiftjis2004: "shift_jis",
  eucjis2004: "euc-jp",
  iso2022jp: "iso-2022-jp",
  iso2022jp2: "iso-2022-jp",
  iso2022jp2004: "iso-2022-jp",
  iso2022jpext: "iso-2022-jp",
  cp936: "gb18030",
  cp950: "big5",
  big5hkscs: "big5",
  cp949: "euc-kr",
  uhc: "euc-kr",
  cp874: "windows-874",
  tis620: "windows-874",
  latin1: "windows-1252",
  macroman: "macintosh",
  maccyrillic: "x-mac-cyrillic",
  xmaccyrillic: "x-mac-cyrillic",
};

/** What iconv-lite has under the names of encodings and what encodes bytes, not text. */
const noTexts = /^(base64|hex|binary|utf7imap|internal)$/;
/**
 * Encodings that Node.js decodes wrongly: Windows-1252 as Latin-1 in releases of line 20 since 20.18.3, EUC-KR without
 * the 8,822 syllables that Windows adds to it, and Big5 with private characters for those of Hong Kong and of ETEN.
 */
const byTable: Readonly<Record<string, string>> = {
  "windows-1252": "windows-1252",
  "euc-kr": "cp949",
  big5: "big5-hkscs",
};

const names: Readonly<Record<string, string>> = {
  shift_jis: "Shift_JIS",
  big5: "Big5",
  macintosh: "Macintosh",
  "x-mac-cyrillic": "Macintosh Cyrillic",
};
const nameOf = (label: string) =>
  names[label] ?? (label.startsWith("windows") ? label.replace("w", "W") : label.toUpperCase());

/**
 * Returns the encoding of a label as web pages, mail, Python or iconv write it; undefined for one that cannot be
 * decoded.
 */
export function encodingOf(label: string): Encoding | undefined {
  const bare = label.toLowerCase().replace(/[^a-z0-9]/g, "");
  const alias = aliases[bare];
  const canonical = [alias, label.trim(), label.trim().replaceAll("_", "-"), bare]
    .map((one) => (one === undefined ? undefined : webLabel(one)))
    .find((one) => one !== undefined);
  const found = canonical ?? alias;
  if (found !== undefined && isUnicode(found))
    return { name: nameOf(found), decode: (bytes) => decodeUnicode(bytes, markedEncoding(bytes) ?? found) };
  if (canonical !== undefined && byTable[canonical] === undefined)
    return { name: nameOf(canonical), decode: (bytes) => new TextDecoder(canonical).decode(bytes) };
  const table = canonical === undefined ? label : (byTable[canonical] as string);
  if (noTexts.test(bare) || !iconv.encodingExists(table)) return undefined;
  return { name: nameOf(canonical ?? label), decode: (bytes) => iconv.decode(bytes, table) };
}

/**
 * Returns the encoding that a user has named.
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
export function namedEncoding(label: string): Encoding {
  const encoding = encodingOf(label);
  if (encoding !== undefined) return encoding;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `--encoding ${label}: is not an encoding that can be read; give one such as windows-1252, shift_jis, gb18030, big5, euc-kr, koi8-r or utf-16le, or convert the document to UTF-8 with iconv`,
  );
}

const isUnicode = (label: string): label is UnicodeEncoding => /^utf-(8|16[lb]e|32[lb]e)$/.test(label);

function webLabel(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

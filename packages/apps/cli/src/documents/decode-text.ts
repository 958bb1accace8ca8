import {
  asciiDisguise,
  conversion,
  decodeUnicode,
  markedEncoding,
  type UnicodeEncoding,
  utf8Text,
} from "@palimpsest/memory/unicode-text";
import { type Encoding, encodingOf } from "./encodings.js";

/** A text, with a remark where a reader should know how it was decoded; or why it cannot be decoded. */
export type Decoded = { readonly text: string; readonly remark?: string } | { readonly refused: string };

export interface EncodingHints {
  /** The encoding that the user has named. */
  readonly named?: Encoding | undefined;
  /** The label that the document declares itself. */
  readonly declared?: string | undefined;
}

const isBinary = { refused: "is a binary file; give text, Markdown, HTML or PDF" };

/**
 * Decodes the bytes of a document. In this order count: a byte order mark; UTF-8, where it is more than ASCII; the
 * encoding that the user names; UTF-16 and UTF-32 without a mark, where zero bytes show it; what the document declares;
 * and a guess, which the remark says.
 */
export async function decodeText(
  bytes: Uint8Array,
  { named, declared }: EncodingHints = {},
): Promise<Decoded> {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return told(decodeUnicode(bytes, marked), `is ${marked.toUpperCase()}`);
  const said = named ?? (declared === undefined ? undefined : encodingOf(declared));
  // What is read before its encoding is known is not in UTF-16 or UTF-32, whatever it says.
  const claimed = said !== undefined && isWide(said) ? undefined : said;
  if (bytes.includes(0)) {
    if (named === undefined || !isWide(named)) return await withZeros(bytes, { named, declared });
    return told(named.decode(bytes), `is read as ${named.name}`);
  }
  const text = utf8Text(bytes);
  if (text !== undefined) {
    if (/\P{ASCII}/u.test(text)) return { text };
    return await asciiText(text, bytes, claimed);
  }
  if (named !== undefined) return told(named.decode(bytes), `is read as ${named.name}`);
  const mostly = await mostlyUtf8(bytes, claimed);
  if (mostly !== undefined) return mostly;
  if (claimed !== undefined && claimed.name !== "UTF-8")
    return told(claimed.decode(bytes), `is read as ${claimed.name}`);
  return await guessedText(bytes);
}

const isWide = ({ name }: Encoding) => /^(UTF|UCS)-?(16|32|2)/i.test(name);

/** Reads UTF-16 and UTF-32 without a mark; and other text without its zero bytes, which a crash leaves in a log. */
async function withZeros(bytes: Uint8Array, hints: EncodingHints): Promise<Decoded> {
  const rest = bytes.filter((byte) => byte !== 0);
  const zeros = bytes.length - rest.length;
  const wide = zeros * 5 < bytes.length && isMostlyAscii(rest) ? undefined : wideText(bytes);
  if (wide !== undefined) return wide;
  if (rest.length === 0 || hasControls(rest)) return isBinary;
  const decoded = await decodeText(rest, hints);
  if ("refused" in decoded) return decoded;
  const remark =
    zeros === 1 ? "has a zero byte, which is left out" : `has ${zeros} zero bytes, which are left out`;
  return {
    text: decoded.text,
    remark: decoded.remark === undefined ? remark : `${remark}, and ${decoded.remark}`,
  };
}

const isMostlyAscii = (bytes: Uint8Array) =>
  bytes.filter((byte) => byte >= 0x20 && byte < 0x7f).length * 10 > bytes.length * 7 && !hasControls(bytes);

/** Control characters except white space, backspaces and escapes, with which terminals color what they print. */
function hasControls(bytes: Uint8Array): boolean {
  const controls = bytes.filter((byte) => byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b);
  return controls.length * 50 > bytes.length;
}

/** Adds a remark on malformed characters, if there are any. */
function told(text: string, how: string): Decoded {
  const malformed = text.split("\ufffd").length - 1;
  if (malformed === 0) return { text };
  const what = malformed === 1 ? "one malformed character" : `${malformed} malformed characters`;
  return { text, remark: `${how}, with ${what}; --encoding names another encoding` };
}

/** ASCII is UTF-8, unless it is written in an encoding that uses ASCII's bytes for other characters. */
async function asciiText(text: string, bytes: Uint8Array, claimed: Encoding | undefined): Promise<Decoded> {
  if (claimed !== undefined) return told(claimed.decode(bytes), `is read as ${claimed.name}`);
  const disguise = asciiDisguise(bytes);
  if (disguise !== undefined) return guessed(bytes, disguise);
  if (/\+[A-Za-z0-9/]{3,}-/.test(text) && (await detected(bytes)) === "utf-7") return guessed(bytes, "utf-7");
  if (/~\{(?:[!-w][!-~])+~\}/.test(text))
    return { text, remark: "may be Chinese in HZ between ~{ and ~}, which is not decoded" };
  return { text };
}

/**
 * Reads UTF-8 in which few characters are malformed, as in a file that was cut or patched, and in which some lines are
 * not UTF-8, as in a file that several programs have written to.
 */
async function mostlyUtf8(bytes: Uint8Array, claimed: Encoding | undefined): Promise<Decoded | undefined> {
  const raw = Buffer.from(bytes)
    .toString("latin1")
    .replace(surrogates, joined)
    .split(/(?<=\n)/);
  const bytesOf = (at: number) => Buffer.from(raw[at] ?? "", "latin1");
  const lines = raw.map((_, at) => bytesOf(at).toString("utf8"));
  const text = lines.join("");
  const malformed = (one: string) => one.split("\ufffd").length - 1;
  const others = text.match(otherCharacters)?.length ?? 0;
  const foreign = lines.flatMap((line, at) => {
    // A character that is cut off at the end shows no other encoding.
    const whole = at === lines.length - 1 ? line.replace(/\ufffd$/, "") : line;
    return malformed(whole) > 0 && line.match(otherCharacters) === null ? [at] : [];
  });
  const bad = foreign.reduce((sum, at) => sum + malformed(lines[at] ?? ""), 0);
  if (others < bad || others < 20 * (malformed(text) - bad)) return undefined;
  if (bad === 0) return told(text, "is UTF-8");
  const other =
    claimed !== undefined && claimed.name !== "UTF-8"
      ? claimed
      : encodingOf(await detected(Buffer.concat(foreign.map(bytesOf))));
  if (other === undefined) return told(text, "is UTF-8");
  for (const at of foreign) lines[at] = other.decode(bytesOf(at));
  const which = foreign.length === 1 ? "one line that is" : `${foreign.length} lines that are`;
  return {
    text: lines.join(""),
    remark: `is UTF-8, with ${which} read as ${other.name}, which is a guess; --encoding names one for all lines`,
  };
}

const otherCharacters = /[^\p{ASCII}\ufffd]/gu;
/** A character beyond U+FFFF as some programs write it (CESU-8): each half of its UTF-16 pair for itself. */
const surrogates = /\xed([\xa0-\xaf])([\x80-\xbf])\xed([\xb0-\xbf])([\x80-\xbf])/g;

function joined(_: string, ...bytes: readonly string[]): string {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map((byte) => byte.charCodeAt(0) & 0x3f);
  const pair = String.fromCharCode(0xd000 | (a << 6) | b, 0xd000 | (c << 6) | d);
  return Buffer.from(pair).toString("latin1");
}

async function guessedText(bytes: Uint8Array): Promise<Decoded> {
  if (hasControls(bytes)) return wideText(bytes) ?? isBinary;
  return guessed(bytes, await detected(bytes));
}

function guessed(bytes: Uint8Array, label: string): Decoded {
  const encoding = encodingOf(label);
  if (encoding === undefined)
    return { refused: `seems to be written in ${label}, which cannot be read; ${conversion(label)}` };
  const text = encoding.decode(bytes);
  return { text, remark: `is read as ${encoding.name}, which is a guess; --encoding names another` };
}

/** Bytes of a document by which its encoding is guessed; more of them change no guess. */
const sampleBytes = 64 * 1024;
/**
 * The confidence of Windows-1252, as a fraction of the best guess's, from which on it is taken: it is by far the most
 * frequent of the encodings that a short text cannot tell apart.
 */
const nearlyAsGood = 0.85;

const western = "Windows-1252";
/** Encodings that hardly any file is still written in: they are believed only where the others give no words. */
const isRare = (label: string) =>
  /^(cp(4|7|8|10|11)|mac|hp|kz|ptcp|rk|iso-?8859-(1[046]|[34])$)/i.test(label);
const isLatin = (label: string) =>
  /^(windows-125[047]|iso-?8859-(2|3|4|9|10|13|14|16)|cp|mac|hp)/i.test(label);

/** Returns the name of the encoding that the bytes are most probably written in. */
async function detected(bytes: Uint8Array): Promise<string> {
  const { detectAll } = await import("jschardet");
  const sample = bytes.subarray(0, sampleBytes);
  const found = detectAll(sample, { minimumThreshold: 0 })
    .flatMap(({ encoding, confidence }) => {
      if (encoding === null) return [];
      const text = encodingOf(encoding)?.decode(sample);
      const words = text === undefined ? 1 : (1 - oddness(text)) ** 2;
      return [{ encoding, score: confidence * words * (isRare(encoding) ? 0.5 : 1) }];
    })
    .sort((a, b) => b.score - a.score);
  const [best] = found;
  if (best === undefined || best.score === 0) return western;
  // Hangul that EUC-KR has only in Windows resembles Johab, which hardly any text is written in.
  if (best.encoding === "Johab" && !(encodingOf("cp949")?.decode(bytes) ?? "\ufffd").includes("\ufffd"))
    return "cp949";
  const score = found.find(({ encoding }) => encoding === western)?.score ?? 0;
  return isLatin(best.encoding) && score >= nearlyAsGood * best.score ? western : best.encoding;
}

/**
 * Where words are not as people write them: letters of two scripts, a capital after a small letter, or a symbol between
 * letters. Such as two letters of ASCII are not counted, because programs have names like that.
 */
const oddPlaces =
  /(?<=\p{Script=Latin})(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}|(?<=(?!\p{Script=Latin})\p{L})\p{Script=Latin}|(?<=\p{Ll})(?![A-Z])\p{Lu}|(?<=(?![a-z])\p{Ll})\p{Lu}|(?<=\p{L})(?![\p{ASCII}’\u00b7])[\p{S}\p{Po}\p{Ps}\p{Pi}](?=\p{L})|(?<=(?!\p{ASCII})[\p{Ll}\p{Lu}\p{Script=Hebrew}\p{Script=Arabic}])[0-9]/gu;

/** Returns how much of a text that is not ASCII is unlike a text, 0 to 1. */
function oddness(text: string): number {
  const others = text.match(/\P{ASCII}/gu)?.length ?? 0;
  const broken = text.match(new RegExp(improper, "gu"))?.length ?? 0;
  const odd = text.match(oddPlaces)?.length ?? 0;
  return others === 0 ? 0 : Math.min(1, (odd + 5 * broken) / others);
}

/** Characters that texts in UTF-16 have and that are something else if bytes are read in the wrong order. */
const common = /[\t\n\r -~\u3000-\u3002\uff0c]/g;
/** Control characters, private and unassigned ones, and what replaces malformed ones. */
const improper = /[\ufffd\p{Cn}\p{Co}]|(?!\s)\p{Cc}/u;

/** Decodes UTF-16 and UTF-32 without a byte order mark; undefined for bytes that are neither. */
function wideText(bytes: Uint8Array): Decoded | undefined {
  const encodings: readonly UnicodeEncoding[] = ["utf-32le", "utf-32be", "utf-16le", "utf-16be"];
  const readings = encodings.flatMap((encoding) => {
    const width = encoding.startsWith("utf-32") ? 4 : 2;
    if (bytes.length % width !== 0) return [];
    const sample = decodeUnicode(bytes.subarray(0, sampleBytes), encoding);
    // A sample may end within a surrogate pair.
    if (improper.test(sample.replace(/\ufffd$/, ""))) return [];
    return [{ encoding, share: (sample.match(common)?.length ?? 0) / sample.length }];
  });
  const [best] = readings.sort((a, b) => b.share - a.share);
  if (best === undefined || best.share < 0.01) return undefined;
  return told(decodeUnicode(bytes, best.encoding), `is read as ${best.encoding.toUpperCase()}`);
}

import { PalimpsestError } from "@palimpsest/wire";
import { htmlText } from "./html-text.js";
import { pdfText } from "./pdf-text.js";

type DocumentKind = "text" | "html" | "pdf";

const byEnding: Readonly<Record<string, DocumentKind>> = {
  pdf: "pdf",
  html: "html",
  htm: "html",
  xhtml: "html",
};

/** Determines the type by the name's extension, else by the first bytes. */
function kindOf(name: string, bytes: Uint8Array): DocumentKind {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const known = byEnding[ending];
  if (known !== undefined) return known;
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1").trimStart().toLowerCase();
  if (head.startsWith("%pdf-")) return "pdf";
  const isPage = head.startsWith("<!doctype html") || head.startsWith("<html");
  return isPage && ending !== "md" ? "html" : "text";
}

/**
 * Returns a file's text.
 * @throws {PalimpsestError} INVALID_ARGUMENT for a binary file or a PDF that cannot be read
 */
export async function documentText(name: string, bytes: Uint8Array): Promise<string> {
  const kind = kindOf(name, bytes);
  if (kind === "pdf") return await pdfText(bytes, name);
  const text = decodeText(bytes);
  if (text === undefined) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${name}: is a binary file; give text, Markdown, HTML or PDF`,
    );
  }
  return kind === "html" ? htmlText(text) : text;
}

/** Decodes UTF-8, UTF-16 with a byte order mark, else Windows-1252; undefined for bytes that are not text. */
function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const sample = bytes.subarray(0, 4096);
    const strange = sample.filter((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));
    if (strange.length * 50 > sample.length) return undefined;
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

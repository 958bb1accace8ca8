import { posix } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import { Parser } from "htmlparser2";
import { decodeText } from "./decode-text.js";
import { declaredEncoding } from "./document-kind.js";
import type { Encoding } from "./encodings.js";
import { htmlText } from "./html-text.js";

/** The most bytes that are unpacked, so that a small archive cannot fill the memory. */
const mostBytes = 256 * 2 ** 20;

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/**
 * Returns the text of a DOCX or EPUB file, which are archives of XML.
 * @param encoding the encoding that the user names
 * @returns undefined for other archives
 * @throws {PalimpsestError} INVALID_ARGUMENT for a damaged or protected archive
 */
export async function zipText(
  name: string,
  bytes: Uint8Array,
  encoding?: Encoding,
): Promise<
  | { readonly text: string; readonly remarks: readonly string[]; readonly skipped: readonly string[] }
  | undefined
> {
  const { unzipSync } = await import("fflate");
  const broken = (why: string, cause?: unknown) =>
    new PalimpsestError("INVALID_ARGUMENT", `${name}: ${why}; give a complete file without protection`, {
      cause,
    });
  let unpackedBytes = 0;
  let files: Readonly<Record<string, Uint8Array>>;
  try {
    files = unzipSync(bytes, {
      filter: ({ name: entry, originalSize }) => {
        const isRead = /\.(xht|x?html?|xml|opf|rels)$/i.test(entry);
        if (isRead) unpackedBytes += originalSize;
        return isRead && unpackedBytes <= mostBytes;
      },
    });
  } catch (cause) {
    throw broken("is a damaged archive", cause);
  }
  if (unpackedBytes > mostBytes) throw broken(`unpacks to more than ${mostBytes / 2 ** 20} MiB of text`);
  const remarks: string[] = [];
  const skipped: string[] = [];
  const text = async (path: string) => {
    const file = files[path] ?? files[unescaped(path)];
    if (file === undefined) return undefined;
    const declared = declaredEncoding("html", file) ?? "utf-8";
    const decoded = await decodeText(file, { named: encoding, declared });
    if ("refused" in decoded) {
      skipped.push(`the part ${path} ${decoded.refused}`);
      return "";
    }
    if (decoded.remark !== undefined) remarks.push(`the part ${path} ${decoded.remark}`);
    return decoded.text;
  };
  const main = elements((await text("_rels/.rels")) ?? "", "Relationship")
    .filter(({ Type = "" }) => Type.endsWith("/officeDocument"))
    .map(({ Target = "" }) => Target.replace(/^\//, ""))
    .find((target) => /^word\/[^/]+$/.test(target));
  const word = await text(main ?? "word/document.xml");
  if (word !== undefined) {
    const parts = [wordText(word).trim()];
    for (const [kind, title] of wordParts)
      for (const path of Object.keys(files)
        .filter((one) => kind.test(one))
        .sort()) {
        const part = wordText((await text(path)) ?? "").trim();
        if (part !== "" && !parts.includes(title + part)) parts.push(title + part);
      }
    return { text: parts.join("\n\n").trim(), remarks, skipped };
  }
  const container = await text("META-INF/container.xml");
  if (container === undefined) return undefined;
  if (/xmlenc#(aes|rsa)/.test((await text("META-INF/encryption.xml")) ?? ""))
    throw broken("is a protected EPUB");
  const packagePath = elements(container, "rootfile")[0]?.["full-path"] ?? "";
  const book = await text(packagePath);
  if (book === undefined) return undefined;
  const paths = new Map(elements(book, "item").map(({ id = "", href = "" }) => [id, href]));
  const chapters: string[] = [];
  for (const { idref = "" } of elements(book, "itemref")) {
    const href = (paths.get(idref) ?? idref).replace(/#.*/, "");
    const chapter = await text(posix.join(posix.dirname(packagePath), href));
    if (chapter === undefined) skipped.push(`the chapter ${href} is missing`);
    else chapters.push(htmlText(chapter, true));
  }
  return { text: chapters.filter((chapter) => chapter !== "").join("\n\n"), remarks, skipped };
}

/** Undoes the escapes of a URL, if they are escapes. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The parts of a DOCX file besides its body, with their titles. */
const wordParts = [
  [/^word\/(foot|end)notes\d*\.xml$/, ""],
  [/^word\/header\d*\.xml$/, "Page header: "],
  [/^word\/footer\d*\.xml$/, "Page footer: "],
  [/^word\/comments\d*\.xml$/, "Comments:\n\n"],
] as const;

/** Elements of a DOCX file whose content no reader sees: what was deleted or moved away, and what stands in for a drawing. */
const unread = new Set("del moveFrom Fallback instrText delText tabs".split(" "));
/** What is read for elements without text: white space, and the marks of formulas. */
const written: Readonly<Record<string, string>> = {
  tab: "\t",
  ptab: "\t",
  br: "\n",
  cr: "\n",
  noBreakHyphen: "-",
  sup: "^",
  sub: "_",
  den: "/",
};

/** Returns the paragraphs of a part of a DOCX file. */
function wordText(xml: string): string {
  const parts: string[] = [];
  let left = 0;
  let isText = false;
  let isRaised = false;
  const handler = {
    onopentag(qualified: string, attributes: Attributes) {
      const name = localName(qualified);
      if (unread.has(name)) left += 1;
      if (left > 0) return;
      const value = (key: string) =>
        Object.entries(attributes).find(([other]) => localName(other) === key)?.[1] ?? "";
      parts.push(written[name] ?? "");
      if (name === "r") isRaised = false;
      if (name === "t") isText = true;
      if (name === "vertAlign") isRaised = value("val") === "superscript";
      if (/^(foot|end)noteReference$/.test(name)) parts.push(`[${value("id")}]`);
      if (/^(foot|end)note$/.test(name) && value("type") === "") parts.push(`[${value("id")}] `);
      if (name === "comment" && value("author") !== "") parts.push(`${value("author")}: `);
    },
    ontext(data: string) {
      if (!isText || left > 0) return;
      // Without a mark, 10 to the power of 23 is 1023.
      parts.push(isRaised && !/^(st|nd|rd|th)$/i.test(data) ? `^${data}` : data);
      isRaised = false;
    },
    onclosetag(qualified: string) {
      const name = localName(qualified);
      if (unread.has(name)) left -= 1;
      if (left > 0) return;
      if (name === "t") isText = false;
      if (name === "p") parts.push("\n\n");
      if (name === "tc") parts.push(" | ");
    },
  };
  new Parser(handler, { xmlMode: true }).end(xml);
  return parts.join("").replace(/\n{3,}/g, "\n\n");
}

type Attributes = Readonly<Record<string, string>>;
const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/** Returns the attributes of the elements of this name in an XML text, in order. */
function elements(xml: string, name: string): Attributes[] {
  const found: Attributes[] = [];
  const onopentag = (qualified: string, attributes: Attributes) => {
    if (localName(qualified) === name) found.push(attributes);
  };
  new Parser({ onopentag }, { xmlMode: true }).end(xml);
  return found;
}

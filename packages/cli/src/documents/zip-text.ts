import { posix } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { htmlText } from "./html-text.js";

type Node = DefaultTreeAdapterTypes.ChildNode;

/** The most bytes that are unpacked, so that a small archive cannot fill the memory. */
const mostBytes = 256 * 2 ** 20;

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/**
 * Returns the text of a DOCX or EPUB file, which are archives of XML.
 * @returns undefined for other archives
 * @throws {PalimpsestError} INVALID_ARGUMENT for a damaged or protected archive
 */
export async function zipText(name: string, bytes: Uint8Array): Promise<string | undefined> {
  const { strFromU8, unzipSync } = await import("fflate");
  const broken = (why: string, cause?: unknown) =>
    new PalimpsestError("INVALID_ARGUMENT", `${name}: ${why}; give a complete file without protection`, {
      cause,
    });
  let unpackedBytes = 0;
  let files: Readonly<Record<string, Uint8Array>>;
  try {
    files = unzipSync(bytes, {
      filter: ({ name: entry, originalSize }) => {
        const isRead =
          /^word\/|\.(x?html?|xml|opf)$/i.test(entry) && !/\.(png|jpe?g|gif|ttf|otf)$/i.test(entry);
        if (isRead) unpackedBytes += originalSize;
        return isRead && unpackedBytes <= mostBytes;
      },
    });
  } catch (cause) {
    throw broken("is a damaged archive", cause);
  }
  if (unpackedBytes > mostBytes) throw broken(`unpacks to more than ${mostBytes / 2 ** 20} MiB of text`);
  const text = (path: string) => {
    const file = files[path] ?? files[decodeURIComponent(path)];
    return file === undefined ? undefined : strFromU8(file);
  };
  const word = text("word/document.xml");
  if (word !== undefined) {
    const notes = ["word/footnotes.xml", "word/endnotes.xml"].map((path) => wordText(text(path) ?? ""));
    return [wordText(word), ...notes].join("\n").trim();
  }
  const container = text("META-INF/container.xml");
  if (container === undefined) return undefined;
  if (
    files["META-INF/encryption.xml"] !== undefined &&
    /xmlenc#(aes|rsa)/.test(text("META-INF/encryption.xml") ?? "")
  )
    throw broken("is a protected EPUB");
  const packagePath = attributeOf(elements(container, "rootfile")[0], "full-path");
  const book = text(packagePath);
  if (book === undefined) return undefined;
  const paths = new Map(
    elements(book, "item").map((item) => [attributeOf(item, "id"), attributeOf(item, "href")] as const),
  );
  const chapters = elements(book, "itemref").map((item) => {
    const href = (paths.get(attributeOf(item, "idref")) ?? "").replace(/#.*/, "");
    return htmlText(text(posix.join(posix.dirname(packagePath), href)) ?? "");
  });
  return chapters.filter((chapter) => chapter !== "").join("\n\n");
}

/** Returns the paragraphs of a part of a DOCX file. */
function wordText(xml: string): string {
  const parts: string[] = [];
  write(parse(xml));
  return parts.join("").replace(/\n{3,}/g, "\n\n");

  function write(node: Node | DefaultTreeAdapterTypes.Document): void {
    const name = node.nodeName;
    // What was deleted, and what a reader that does not know a drawing shows instead of it.
    if (name === "w:del" || name === "mc:fallback" || name === "w:instrtext") return;
    if (name === "w:t") parts.push(textOf(node));
    else if (name === "w:tab") parts.push("\t");
    else if (name === "w:br" || name === "w:cr") parts.push("\n");
    else for (const child of "childNodes" in node ? node.childNodes : []) write(child);
    if (name === "w:p") parts.push("\n\n");
    if (name === "w:tc") parts.push(" | ");
  }
}

const textOf = (node: Node | DefaultTreeAdapterTypes.Document): string =>
  "childNodes" in node ? node.childNodes.map(textOf).join("") : "value" in node ? node.value : "";

/** Returns the elements of this name in an XML text, in order. */
function elements(xml: string, name: string): Node[] {
  const found: Node[] = [];
  const visit = (node: Node | DefaultTreeAdapterTypes.Document): void => {
    for (const child of "childNodes" in node ? node.childNodes : []) {
      if (child.nodeName === name || child.nodeName.endsWith(`:${name}`)) found.push(child);
      visit(child);
    }
  };
  visit(parse(xml));
  return found;
}

const attributeOf = (node: Node | undefined, name: string): string =>
  node !== undefined && "attrs" in node ? (node.attrs.find((one) => one.name === name)?.value ?? "") : "";

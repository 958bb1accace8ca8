import { fileKind } from "@palimpsest/memory/text";
import { decodeUnicode, markedEncoding } from "@palimpsest/memory/unicode-text";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { decodeText } from "./decode-text.js";
import { declaredEncoding, documentKind } from "./document-kind.js";
import type { Encoding } from "./encodings.js";
import { htmlText } from "./html-text.js";
import { notebookText } from "./notebook-text.js";
import { pdfText } from "./pdf-text.js";
import { isZip, zipText } from "./zip-text.js";

/** A document's text, with remarks on how it was read and on what could not be read. */
export interface DocumentText {
  readonly text: string;
  readonly remarks: readonly string[];
  /** Parts of the document without text, such as scanned pages, and parts that cannot be read. */
  readonly skipped?: readonly string[];
}

/** Bytes by which a document's kind is determined. */
const headBytes = 64 * 1024;

/**
 * Returns a file's text.
 * @param encoding the encoding that the user names for documents that are not marked as Unicode
 * @throws {PalimpsestError} INVALID_ARGUMENT naming the file, what it is, and what to do
 */
export async function documentText(
  name: string,
  bytes: Uint8Array,
  encoding?: Encoding,
): Promise<DocumentText> {
  try {
    return await readText(name, bytes, encoding);
  } catch (cause) {
    if (cause instanceof PalimpsestError) throw cause;
    throw refused(name, `cannot be read (${reasonText(cause)}); save it as text`, cause);
  }
}

async function readText(
  name: string,
  bytes: Uint8Array,
  encoding: Encoding | undefined,
): Promise<DocumentText> {
  const kind = documentKind(name, headOf(bytes));
  if (kind === "pdf") return await pdfText(bytes, name);
  if (/\.pdf$/i.test(name) && kind === "html")
    throw refused(
      name,
      "is an HTML page and not a PDF, as when a download gives a page instead; download it again, or rename it to .html",
    );
  if (isZip(bytes)) {
    const document = await zipText(name, bytes, encoding);
    if (document !== undefined) return document;
  }
  const other = fileKind(bytes);
  if (other !== undefined) throw refused(name, `is ${other.name}; ${other.fix}`);
  if (kind === "mail") return await mailboxText(name, bytes, encoding);
  const declared = declaredEncoding(kind, bytes);
  const decoded = await decodeText(bytes, { named: encoding, declared });
  if ("refused" in decoded) throw refused(name, decoded.refused);
  const remarks = decoded.remark === undefined ? [] : [decoded.remark];
  if (kind === "html")
    return { text: htmlText(decoded.text, /\.xht(ml)?$/i.test(name) || undefined), remarks };
  return { text: kind === "notebook" ? notebookText(decoded.text, name) : decoded.text, remarks };
}

const refused = (name: string, why: string, cause?: unknown) =>
  new PalimpsestError("INVALID_ARGUMENT", `${name}: ${why}`, { cause });

/**
 * Returns the beginning as text, in Latin-1 unless a byte order mark says that it is Unicode. Without its zero bytes, UTF-16
 * without a mark shows the same tags.
 */
function headOf(bytes: Uint8Array): string {
  const head = bytes.subarray(0, headBytes);
  const marked = markedEncoding(head);
  return marked === undefined || marked === "utf-8"
    ? Buffer.from(head).toString("latin1").replaceAll("\0", "")
    : decodeUnicode(head, marked);
}

/** Where a message begins in a mailbox: at a line with its sender and date, before its headers. */
const messageStart = /^(?=From [^\r\n]*\d{4}[^\r\n]*\r?\n[A-Za-z][\w-]*:)/m;

/** Returns the text of a message, or of all messages of a mailbox (mbox), in order. */
async function mailboxText(
  name: string,
  bytes: Uint8Array,
  encoding: Encoding | undefined,
): Promise<DocumentText> {
  const whole = Buffer.from(bytes).toString("latin1");
  const isMailbox = whole.startsWith("From ");
  const remarks = new Set<string>();
  const texts: string[] = [];
  for (const one of isMailbox ? whole.split(messageStart) : [whole]) {
    // A mailbox marks lines of a text that begin as a message does.
    const message = Buffer.from(isMailbox ? one.replace(/^>(>*From )/gm, "$1") : one, "latin1");
    // The parts of a message are decoded each as it says; where none says it, it is decoded as any other text.
    if (/\bcharset\s*=/i.test(one)) {
      texts.push(await mailText(message));
      continue;
    }
    const decoded = await decodeText(message, { named: encoding });
    if ("refused" in decoded) throw refused(name, decoded.refused);
    if (decoded.remark !== undefined) remarks.add(decoded.remark);
    texts.push(await mailText(Buffer.from(decoded.text)));
  }
  return { text: texts.join("\n"), remarks: [...remarks] };
}

/** Returns the readable text of an e-mail message: its headers that people read, and its text without attachments. */
async function mailText(bytes: Uint8Array): Promise<string> {
  const { default: PostalMime } = await import("postal-mime");
  const mail = await PostalMime.parse(Uint8Array.from(bytes));
  const people = (list: readonly { readonly name?: string; readonly address?: string | undefined }[] = []) =>
    list.map(({ name, address }) => (name ? `${name} <${address ?? ""}>` : (address ?? ""))).join(", ");
  const headers = [
    ["From", people(mail.from === undefined ? [] : [mail.from])],
    ["To", people(mail.to)],
    ["Cc", people(mail.cc)],
    ["Date", mail.headers.find(({ key }) => key === "date")?.value ?? ""],
    ["Subject", mail.subject ?? ""],
    ["Attachments", mail.attachments.map(({ filename }) => filename ?? "unnamed").join(", ")],
  ].filter(([, value]) => value !== "");
  const text = mail.text?.trim() || htmlText(mail.html ?? "");
  return `${headers.map(([key, value]) => `${key}: ${value}`).join("\n")}\n\n${text}\n`;
}

import { declaredCharset } from "./html-text.js";

/** How a document is read. */
export type DocumentKind = "text" | "html" | "pdf" | "notebook" | "mail";

/** What may come before the first tag of a page: white space, comments, and XML's prolog. */
const prolog = /^(?:\s+|<!--[\s\S]*?-->|<\?[\s\S]*?\?>)/;
const page = /^<(?:!doctype\s+html|html|head|body)(?=[\s>])/i;
/** Elements with which a part of a page begins, unless the file's name says that it is a text. */
const partOfPage =
  /^<(?:meta|title|script|style|link|div|table|article|section|main|h[1-6]|p|ul|ol)(?=[\s>])/i;
const textEnding =
  /^(txt|text|md|markdown|rst|adoc|csv|tsv|json|jsonl|xml|svg|js|ts|jsx|tsx|vue|svelte|py|log|tex)$/;

/**
 * Determines how a document is read: by its first bytes, and by its name's extension where they leave it open.
 * @param head the beginning of the text, or of the bytes in Latin-1
 */
export function documentKind(name: string, head: string): DocumentKind {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  if (/^\s*%PDF-/.test(head) || (ending === "pdf" && head.slice(0, 1024).includes("%PDF-"))) return "pdf";
  if (/^(html?|xhtml|xht)$/.test(ending)) return "html";
  if (ending === "md" || ending === "markdown") return "text";
  const start = afterProlog(head);
  if (page.test(start) || (partOfPage.test(start) && !textEnding.test(ending))) return "html";
  if (ending === "ipynb" && start.startsWith("{")) return "notebook";
  if (ending === "pdf") return "pdf";
  return isMail(head) ? "mail" : "text";
}

function afterProlog(head: string): string {
  let rest = head.replace(/^\ufeff|^\u00ef\u00bb\u00bf/, "");
  for (;;) {
    const before = prolog.exec(rest)?.[0];
    if (before === undefined) return rest;
    rest = rest.slice(before.length);
  }
}

/** A message begins with header lines, at least three of which all messages have. */
function isMail(head: string): boolean {
  const [headers = ""] = head.split(/\r?\n\r?\n/, 1);
  if (!/^(?:From |[A-Za-z][A-Za-z-]*: )/.test(headers)) return false;
  const known =
    headers.match(/^(?:from|to|subject|date|message-id|mime-version|received|return-path):/gim) ?? [];
  return new Set(known.map((name) => name.toLowerCase())).size >= 3;
}

/** Returns the label of the encoding that an HTML page or an XML file declares. */
export function declaredEncoding(kind: DocumentKind, bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString("latin1");
  const xml = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([-\w.:]+)["']/.exec(head)?.[1];
  if (xml !== undefined || kind !== "html") return xml;
  return declaredCharset(head);
}

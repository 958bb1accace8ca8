import { type DefaultTreeAdapterTypes, parse } from "parse5";

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Elements whose content is left out, because people do not read it. */
const unread = new Set(["script", "style", "noscript", "template", "svg", "iframe", "object", "head"]);
const blocks = new Set(
  "address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);
const headings = /^h([1-6])$/;

/**
 * Returns the readable text of an HTML page: its title, headings as in Markdown, paragraphs, list items and table
 * rows.
 */
export function htmlText(page: string): string {
  const document = parse(page);
  const title = titleOf(document);
  const parts: string[] = title === "" ? [] : [`# ${title}\n\n`];
  for (const child of document.childNodes) write(child, parts, false);
  return parts
    .join("")
    .replace(/[ \t\f\v\u00a0]*\n[ \t\f\v\u00a0]*/g, (line) => (line.includes("\n") ? "\n" : line))
    .replace(/\n{3,}/g, "\n\n")
    .replaceAll(preserved, " ")
    .trim();
}

/** Returns the encoding that the beginning of a page declares in an element, not in a script, a comment or a text. */
export function declaredCharset(head: string): string | undefined {
  const nodes: Node[] = [...parse(head, { scriptingEnabled: false }).childNodes];
  for (let node = nodes.shift(); node !== undefined; node = nodes.shift()) {
    nodes.unshift(...childrenOf(node));
    if (node.nodeName !== "meta") continue;
    const charset = attribute(node, "charset").trim();
    if (charset !== "") return charset;
    const content = /^content-type$/i.test(attribute(node, "http-equiv")) ? attribute(node, "content") : "";
    const named = /\bcharset\s*=\s*["']?\s*([-\w.:]+)/i.exec(content)?.[1];
    if (named !== undefined) return named;
  }
  return undefined;
}

/** A placeholder for a space that must not be collapsed. */
const preserved = "\u{f0001}";

function titleOf(document: DefaultTreeAdapterTypes.Document): string {
  const html = document.childNodes.find((node) => node.nodeName === "html");
  const head = childrenOf(html).find((node) => node.nodeName === "head");
  const title = childrenOf(head).find((node) => node.nodeName === "title");
  return childrenOf(title)
    .map((node) => ("value" in node ? node.value : ""))
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

const childrenOf = (node: Node | undefined): readonly Node[] =>
  node !== undefined && "childNodes" in node ? node.childNodes : [];

function write(node: Node, parts: string[], verbatim: boolean): void {
  if (node.nodeName === "#text" && "value" in node) {
    parts.push(verbatim ? node.value.replaceAll(" ", preserved) : node.value.replace(/\s+/g, " "));
    return;
  }
  const name = node.nodeName;
  if (unread.has(name) || name.startsWith("#")) return;
  if (name === "br") parts.push("\n");
  if (name === "img") parts.push(attribute(node, "alt"));
  const block = blocks.has(name);
  if (block) parts.push(name === "li" || name === "tr" ? "\n" : "\n\n");
  const level = headings.exec(name)?.[1];
  if (level !== undefined) parts.push(`${"#".repeat(Number(level))} `);
  if (name === "li") parts.push("- ");
  if (name === "td" || name === "th") parts.push(" | ");
  for (const child of childrenOf(node)) write(child, parts, verbatim || name === "pre");
  if (block) parts.push(name === "li" || name === "tr" ? "\n" : "\n\n");
}

const attribute = (node: Node, name: string) =>
  "attrs" in node ? (node.attrs.find((other) => other.name === name)?.value ?? "") : "";

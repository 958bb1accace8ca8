import { Parser } from "htmlparser2";
import { type DefaultTreeAdapterTypes, parse } from "parse5";

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Elements whose content is left out, because people do not read it or it is struck through. */
const unread = new Set(
  "script style noscript noframes noembed template svg iframe object head del s strike annotation".split(" "),
);
const blocks = new Set(
  "address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);
const headings = /^h([1-6])$/;
/** What is written between the two parts of a formula. */
const between: Readonly<Record<string, string>> = { msup: "^", msub: "_", mfrac: "/" };
const ordinals = /^(st|nd|rd|th)$/i;

/**
 * Returns the readable text of an HTML or XHTML page: its title, headings as in Markdown, paragraphs, list items and
 * table rows. What a page shows only without scripts is read where it has no other text.
 */
export function htmlText(page: string, isXhtml = xhtml.test(page.slice(0, 4096))): string {
  const read = (scripts: boolean) => (isXhtml ? readXhtml(page, scripts) : readHtml(page, scripts));
  const text = read(true);
  return (text.isEmpty ? read(false) : text).toString();
}

const xhtml = /^(?:\s|<!--(?:(?!-->)[\s\S])*-->)*<\?xml\s[\s\S]*?<html\s[^>]*\bxmlns\s*=/;

/** Returns the encoding that the beginning of a page declares in an element, not in a script, a comment or a text. */
export function declaredCharset(head: string): string | undefined {
  const nodes: Node[] = [...parse(head, { scriptingEnabled: false }).childNodes];
  for (let node = nodes.shift(); node !== undefined; node = nodes.shift()) {
    nodes.unshift(...childrenOf(node));
    if (node.nodeName !== "meta") continue;
    const { charset = "", content = "", "http-equiv": header = "" } = attributesOf(node);
    if (charset.trim() !== "") return charset.trim();
    if (!/^content-type$/i.test(header)) continue;
    const named = /\bcharset\s*=\s*["']?\s*([-\w.:]+)/i.exec(content)?.[1];
    if (named !== undefined) return named;
  }
  return undefined;
}

const childrenOf = (node: Node): readonly Node[] => ("childNodes" in node ? node.childNodes : []);

type Attributes = Readonly<Record<string, string>>;
const attributesOf = (node: Node): Attributes =>
  "attrs" in node ? Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])) : {};

/** Reads a page as browsers do, without recursion, because pages may be nested deeper than calls may. */
function readHtml(page: string, scriptingEnabled: boolean): PageText {
  const text = new PageText(scriptingEnabled);
  /** What is still to be read, the next last: nodes, and names of elements that end. */
  const rest: (Node | string)[] = [...parse(page, { scriptingEnabled }).childNodes].reverse();
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (typeof node === "string") text.close(node);
    else if ("value" in node) text.write(node.value);
    else if (!node.nodeName.startsWith("#")) {
      text.open(node.nodeName, attributesOf(node));
      rest.push(node.nodeName);
      for (const child of [...childrenOf(node)].reverse()) rest.push(child);
    }
  }
  return text;
}

/** Reads a page of XML, in which each element may be empty, and a character may be named as in HTML. */
function readXhtml(page: string, scripts: boolean): PageText {
  const text = new PageText(scripts);
  const handler = {
    onopentag: (name: string, attributes: Attributes) => text.open(name, attributes),
    ontext: (data: string) => text.write(data),
    onclosetag: (name: string) => text.close(name),
  };
  new Parser(handler, { recognizeSelfClosing: true, recognizeCDATA: true }).end(page);
  return text;
}

/** A placeholder for a space that must not be collapsed. */
const preserved = "\u{f0001}";

/** Collects the text of a page from its elements in order. */
class PageText {
  readonly #parts: string[] = [];
  #title = "";
  /** The names of the open elements. */
  readonly #open: string[] = [];
  #unread = 0;
  #verbatim = 0;
  /** What is written before the next text. */
  #mark = "";
  /** The next number of each open list; undefined for one without numbers. */
  readonly #lists: (number | undefined)[] = [];

  readonly #scripts: boolean;

  /** @param scripts whether the reader runs scripts, and so does not see what a page shows without */
  constructor(scripts: boolean) {
    this.#scripts = scripts;
  }

  open(name: string, attributes: Attributes): void {
    this.#open.push(name);
    if (this.#isUnread(name)) this.#unread += 1;
    if (name === "pre") this.#verbatim += 1;
    if (this.#unread > 0) return;
    const parts = this.#parts;
    if (name === "br") parts.push("\n");
    if (name === "img") parts.push(attributes["alt"] ?? "");
    if (name === "sup") this.#mark = "^";
    this.#breakAt(name);
    const level = headings.exec(name)?.[1];
    if (level !== undefined) parts.push(`${"#".repeat(Number(level))} `);
    if (name === "ol") this.#lists.push(Number.parseInt(attributes["start"] ?? "", 10) || 1);
    if (name === "ul") this.#lists.push(undefined);
    if (name === "li") parts.push(this.#itemMark(attributes["value"]));
    if (name === "td" || name === "th") parts.push(" | ");
  }

  write(data: string): void {
    if (this.#open.at(-1) === "title" && this.#open.at(-2) === "head") this.#title += data;
    if (this.#unread > 0) return;
    // Without a mark 10 to the power of 23 is 1023, and the number of a note is a part of the number before it.
    if (this.#mark !== "" && data.trim() !== "") {
      if (!ordinals.test(data.trim())) this.#parts.push(this.#mark);
      this.#mark = "";
    }
    this.#parts.push(this.#verbatim > 0 ? data.replaceAll(" ", preserved) : data.replace(/\s+/g, " "));
  }

  close(name: string): void {
    this.#open.pop();
    if (name === "pre") this.#verbatim -= 1;
    if (this.#unread === 0) {
      this.#breakAt(name);
      if (name === "ol" || name === "ul") this.#lists.pop();
      if (name === "sup" || between[name] !== undefined) this.#mark = "";
      this.#mark = between[this.#open.at(-1) ?? ""] ?? this.#mark;
    }
    if (this.#isUnread(name)) this.#unread -= 1;
  }

  /** Whether the page shows nothing besides its title. */
  get isEmpty(): boolean {
    return this.#parts.every((part) => part.trim() === "");
  }

  toString(): string {
    const title = this.#title.replace(/\s+/g, " ").trim();
    return [title === "" ? "" : `# ${title}\n\n`, ...this.#parts]
      .join("")
      .replace(/[ \t\f\v\u00a0]*\n[ \t\f\v\u00a0]*/g, (line) => (line.includes("\n") ? "\n" : line))
      .replace(/\n{3,}/g, "\n\n")
      .replaceAll(preserved, " ")
      .trim();
  }

  #isUnread(name: string): boolean {
    return unread.has(name) && (this.#scripts || name !== "noscript");
  }

  #breakAt(name: string): void {
    if (blocks.has(name)) this.#parts.push(name === "li" || name === "tr" ? "\n" : "\n\n");
  }

  #itemMark(value: string | undefined): string {
    const next = this.#lists.at(-1);
    if (next === undefined) return "- ";
    const number = Number.parseInt(value ?? "", 10) || next;
    this.#lists[this.#lists.length - 1] = number + 1;
    return `${number}. `;
  }
}

/** Markup that `html` has built. Any other text is escaped when it is inserted. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type HtmlPart = string | number | Html | undefined | readonly HtmlPart[];

/** Builds a piece of HTML: texts in it are escaped, and pieces are inserted unchanged. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.map((text, i) => text + markupOf(parts[i])).join(""));
}

function markupOf(part: HtmlPart): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.markup;
  return typeof part === "object" ? part.map(markupOf).join("") : escapeHtml(String(part));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
  "\0": "\ufffd",
};

/** Escapes text for use in an element or in a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`\0]/g, (character) => entities[character] ?? "");
}

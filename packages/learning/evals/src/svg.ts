/** A small writer of SVG markup. Everything is escaped, and numbers are rounded to a hundredth. */
export type Attributes = Readonly<Record<string, string | number>>;

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

// XML allows no control characters except tab and line ends.
const forbidden = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

export const escapeXml = (text: string): string =>
  text.replace(forbidden, "").replace(/[&<>"']/g, (character) => escapes[character] as string);

const attribute = (value: string | number): string =>
  typeof value === "number" ? String(Math.round(value * 100) / 100) : escapeXml(value);

/** Writes an element. `children` is inserted as markup, so texts must be passed through `text` first. */
export function element(name: string, attributes: Attributes, children = ""): string {
  const list = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${attribute(value)}"`)
    .join("");
  return children === "" ? `<${name}${list}/>` : `<${name}${list}>${children}</${name}>`;
}

export const text = (content: string, attributes: Attributes): string =>
  element("text", attributes, escapeXml(content));

const font = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";

/** Writes a whole picture. `children` is inserted as markup, one element per line. */
export function picture(
  title: string,
  { width, height }: { readonly width: number; readonly height: number },
  children: readonly string[],
): string {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  const attributes = { xmlns: "http://www.w3.org/2000/svg", ...size, role: "img", "font-family": font };
  return `${element("svg", attributes, `\n<title>${escapeXml(title)}</title>\n${children.join("\n")}\n`)}\n`;
}

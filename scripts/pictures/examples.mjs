// `node scripts/pictures/examples.mjs`: draws examples/NAME/picture.svg from the terminal that its README shows, which
// test/examples.test.ts compares with what the program prints.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/paths.mjs";

const columnWidth = 7.25;
const lineHeight = 17;
const margin = 14;
const escaped = (text) => text.replace(/[&<>]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[one]);

/** The recorded terminal of an example's README. */
export function terminalOf(readme) {
  const [, terminal] = /^```console\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  if (terminal === undefined) throw new Error("the README has no fence `console`");
  return terminal;
}

/** The terminal as an SVG, whose lines have one width whatever font there is. */
export function picture(terminal) {
  const lines = terminal.trimEnd().split("\n");
  const widest = Math.max(60, ...lines.map((line) => line.length));
  const width = Math.ceil(widest * columnWidth + 2 * margin);
  const height = lines.length * lineHeight + 2 * margin;
  const texts = lines.map((line, i) => {
    const fill = line.startsWith("$ ") ? "#7ee787" : "#e6edf3";
    const at = `x="${margin}" y="${margin + i * lineHeight + 13}"`;
    // A line without text has no length to keep.
    const length = line === "" ? "" : ` textLength="${(line.length * columnWidth).toFixed(2)}"`;
    return `<text ${at} fill="${fill}"${length} xml:space="preserve">${escaped(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="12">`,
    `<title>${escaped(lines[0] ?? "")}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...texts,
    "</svg>",
    "",
  ].join("\n");
}

if (import.meta.filename === process.argv[1])
  for (const name of readdirSync(join(root, "examples"))) {
    const readme = join(root, "examples", name, "README.md");
    if (!existsSync(readme)) continue;
    const text = readFileSync(readme, "utf8");
    if (text.includes("(picture.svg)"))
      writeFileSync(join(root, "examples", name, "picture.svg"), picture(terminalOf(text)));
  }

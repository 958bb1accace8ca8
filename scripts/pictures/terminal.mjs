// Records a command as a person sees it in a terminal, and writes it as one animated SVG.
// Usage: node scripts/pictures/terminal.mjs OUT.svg [--columns 100] [--rows 30] [--seconds 20] -- COMMAND ARGUMENTS…
//   --seconds: how long the picture takes, however long the command took; the last screen stays for a quarter of it.
// Needs util-linux's `script` for the terminal. What the terminal shows is worked out by xterm's own emulator.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import xterm from "@xterm/headless";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    columns: { type: "string", default: "100" },
    rows: { type: "string", default: "30" },
    seconds: { type: "string", default: "20" },
  },
});
const [out, ...command] = positionals;
if (out === undefined || command.length === 0)
  throw new Error("usage: terminal.mjs OUT.svg [--columns N] [--rows N] [--seconds N] -- COMMAND");
const columns = Number(values.columns);
const rows = Number(values.rows);
const seconds = Number(values.seconds);
const maxFrames = 40;

const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: false });
const child = spawn(
  "script",
  ["-qfec", `stty cols ${columns} rows ${rows}; ${command.join(" ")}`, "/dev/null"],
  {
    env: { ...process.env, TERM: "xterm-256color", COLUMNS: String(columns), LINES: String(rows) },
    stdio: ["ignore", "pipe", "inherit"],
  },
);
/** Different screens with the millisecond at which each was first seen. */
const screens = [];
const startedAt = performance.now();
let writing = Promise.resolve();
child.stdout.on("data", (chunk) => {
  writing = writing.then(() => new Promise((resolve) => terminal.write(chunk, resolve)));
});
const sampler = setInterval(() => look(), 200);
const [status] = await once(child, "close");
clearInterval(sampler);
await writing;
look();
if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}`);
writeFileSync(out, svg(thinned(screens)));
process.stdout.write(
  `${out}: ${screens.length} screens seen, ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`,
);

/** The screen as lines of runs of one style. */
function look() {
  const buffer = terminal.buffer.active;
  const lines = Array.from({ length: rows }, (_, row) => runsOf(buffer.getLine(buffer.viewportY + row)));
  const key = JSON.stringify(lines);
  if (screens.at(-1)?.key !== key) screens.push({ key, lines, atMs: performance.now() - startedAt });
}

function runsOf(line) {
  const runs = [];
  if (line === undefined) return runs;
  for (let column = 0; column < columns; column++) {
    const cell = line.getCell(column);
    if (cell === undefined) break;
    const text = cell.getChars() || " ";
    const style = [
      cell.isFgDefault() ? "" : cell.isFgPalette() ? `c${cell.getFgColor() % 8}` : "",
      cell.isBold() ? "b" : "",
      cell.isDim() ? "d" : "",
    ]
      .filter((name) => name !== "")
      .join(" ");
    const last = runs.at(-1);
    if (last?.style === style) last.text += text;
    else runs.push({ style, text, column });
  }
  const last = runs.at(-1);
  if (last !== undefined) last.text = last.text.trimEnd();
  return runs.filter(({ text }) => text !== "");
}

/** At most maxFrames of them, evenly in time; the first and the last always. */
function thinned(all) {
  const end = all.at(-1)?.atMs ?? 0;
  const kept = [];
  let slot = -1;
  for (const [index, screen] of all.entries()) {
    const own = Math.floor((screen.atMs / Math.max(end, 1)) * (maxFrames - 1));
    if (own === slot && index < all.length - 1) kept[kept.length - 1] = screen;
    else kept.push(screen);
    slot = own;
  }
  return kept;
}

function escaped(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function svg(frames) {
  const [width, height, line] = [columns * 7.23 + 24, rows * 17 + 24, 17];
  const end = (frames.at(-1)?.atMs ?? 1) / 0.75;
  const percent = (atMs) => ((atMs / end) * 100).toFixed(2);
  const groups = frames.map(({ lines }, index) => {
    const texts = lines.flatMap((runs, row) => {
      const spans = runs.map(
        ({ style, text, column }) =>
          `<tspan x="${(12 + column * 7.23).toFixed(1)}"${style === "" ? "" : ` class="${style}"`}>${escaped(text)}</tspan>`,
      );
      return spans.length === 0 ? [] : [`<text y="${24 + row * line}">${spans.join("")}</text>`];
    });
    return `<g class="f" id="f${index}">${texts.join("")}</g>`;
  });
  const rules = frames.map(({ atMs }, index) => {
    const from = percent(index === 0 ? 0 : atMs);
    const to = index === frames.length - 1 ? "100" : percent(frames[index + 1].atMs);
    const hidden = index === 0 ? "" : "0%,";
    const after = index === frames.length - 1 ? "" : `${to}%,100%{opacity:0}`;
    return `@keyframes k${index}{${hidden === "" ? "" : `0%{opacity:0}`}${from}%{opacity:1}${after}}#f${index}{animation:k${index} ${seconds}s step-end infinite}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" width="${width.toFixed(0)}" height="${height}" role="img" aria-label="${escaped(command.join(" "))}">
<style>text{font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d8dee9;white-space:pre}.f{opacity:0}.b{font-weight:700}.d{opacity:.6}.c1{fill:#e06c75}.c2{fill:#98c379}.c3{fill:#e5c07b}.c4{fill:#61afef}.c5{fill:#c678dd}.c6{fill:#56b6c2}
${rules.join("\n")}
@media (prefers-reduced-motion: reduce){.f{animation:none}#f${frames.length - 1}{opacity:1}}</style>
<rect width="100%" height="100%" rx="8" fill="#1e2430"/>
${groups.join("\n")}
</svg>
`;
}

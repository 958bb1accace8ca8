import type { Interval } from "../intervals.js";
import { linePlot, type PlotSeries } from "../line-plot.js";
import { Html, html } from "../trace/html.js";
import { type Board, type BoardCell, type BoardPair, divisions } from "./board.js";

const points = (share: number) => (100 * share).toFixed(1);
const range = ({ low, high }: Interval) => `[${points(low)}, ${points(high)}]`;
const amount = (value: number) =>
  value >= 100 ? value.toFixed(0) : value.toPrecision(3).replace(/\.?0+$/, "");
const chance = (p: number) => (p < 0.001 ? "< 0.001" : p.toFixed(3));

const heading = [
  "row",
  "",
  "seeds",
  "n",
  "right %",
  "calls",
  "read",
  "sampled",
  "tokens per call",
  "seconds",
];

/** The order of a table: what is compared, then what it is measured by. */
const kinds = ["entry", "control", "ceiling", "floor", "cheat", "oracle"];

/** The files of a board: what it was asked, its tables, its numbers and a page; further ones are figures. */
export type BoardFiles = Readonly<Record<"board.md" | "board.json" | "board.html", string>>;

/**
 * Returns a board as text, as JSON without seconds, which no machine has twice, as a page, and with a figure for each
 * world of several lengths.
 * @param facts what was asked: models, worlds, lengths
 */
export function boardFiles(
  title: string,
  facts: Readonly<Record<string, string | number>>,
  board: Board,
): BoardFiles {
  const figures = figuresOf(board);
  const withoutSeconds = (key: string, value: unknown) => (key === "seconds" ? undefined : value);
  return {
    ...figures,
    "board.md": markdownOf(title, facts, board, Object.keys(figures)),
    "board.json": `${JSON.stringify({ title, facts, ...board }, withoutSeconds, 2)}\n`,
    "board.html": pageOf(title, facts, board, Object.keys(figures)).markup,
  };
}

/** Returns the tables of a board: one for each group and division. */
function tablesOf(board: Board): { readonly name: string; readonly rows: readonly (readonly string[])[] }[] {
  const groups = [...new Set(board.cells.map(({ group }) => group))];
  return groups.flatMap((group) =>
    divisions.flatMap((division) => {
      const cells = board.cells.filter((cell) => cell.group === group && cell.division === division);
      const entries = cells.filter(({ kind }) => kind === "entry" || kind === "control");
      if (entries.length === 0) return [];
      // What has no model stands beside the entries of each division.
      const others = board.cells.filter(
        (cell) => cell.group === group && cell.kind !== "entry" && cell.kind !== "control",
      );
      const sorted = [...entries, ...others].sort(
        (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || b.score - a.score,
      );
      return [{ name: `${group} sentences, ${division}`, rows: sorted.map(lineOf) }];
    }),
  );
}

const lineOf = ({ row, kind, trainingSeeds, questions, score, interval, cost }: BoardCell): string[] => [
  row,
  kind === "entry" ? "" : kind,
  kind === "entry" ? String(trainingSeeds) : "",
  String(questions),
  `${points(score)} ${range(interval)}`,
  ...[cost.calls, cost.readTokens, cost.sampledTokens, cost.contextTokens, cost.seconds].map((value) =>
    // What has no model costs nothing worth a number.
    cost.calls === 0 ? "" : amount(value),
  ),
];

const pairLine = ({ first, second, difference, interval, adjustedP }: BoardPair) =>
  `${second} − ${first}: ${points(difference)} ${range(interval)}, ${
    adjustedP === null ? "no p of two training seeds" : `p ${chance(adjustedP)}`
  }`;

const failureLine = ({ row, group, questions, first }: Board["failed"][number]) =>
  `${row}, ${group}: ${questions} questions failed and count as wrong, the first because ${first}`;

const note =
  "Right answers in percent with 95 % intervals over training seeds and questions; costs are means per question, seconds its part of the wall-clock time. A ceiling is an exact reader of what a search found: no reader of that search does better. p is corrected by Holm's method within a group and division.";

function markdownOf(
  title: string,
  facts: Readonly<Record<string, string | number>>,
  board: Board,
  figures: readonly string[],
): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return `${[
    `# ${title}`,
    "",
    ...Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`),
    ...Object.entries(board.emptied).flatMap(([group, reasons]) => [
      `- ${group}: **no scores**, because ${reasons.join("; ")}.`,
    ]),
    "",
    ...tablesOf(board).flatMap(({ name, rows }) => [
      `## ${name}`,
      "",
      row(heading),
      row(heading.map((_, at) => (at < 2 ? "---" : "---:"))),
      ...rows.map(row),
      "",
    ]),
    ...figures.flatMap((file) => [`![${file}](${file})`, ""]),
    ...board.pairs.map((pair) => `- ${pair.group}, ${pair.division}: ${pairLine(pair)}`),
    ...board.failed.map((one) => `- ${failureLine(one)}`),
    "",
    note,
  ].join("\n")}\n`;
}

/** Draws each world: scores of entries and ceilings over the length of the text. */
function figuresOf({ cells }: Board): Record<string, string> {
  const worldOf = ({ group }: BoardCell) => group.split(", ")[0] ?? group;
  const lengthOf = ({ group }: BoardCell) => Number(group.split(", ")[1]);
  const drawn = cells.filter(({ kind }) => kind === "entry" || kind === "ceiling");
  const figures = [...new Set(drawn.map(worldOf))].flatMap((world): [string, string][] => {
    const own = drawn.filter((cell) => worldOf(cell) === world);
    if (new Set(own.map(lengthOf)).size < 2) return [];
    const series = [...new Set(own.map(({ row }) => row))].map((name): PlotSeries => {
      const its = own.filter(({ row }) => row === name).sort((a, b) => lengthOf(a) - lengthOf(b));
      return {
        name,
        faint: its[0]?.kind === "ceiling",
        points: its.map((cell) => ({ x: lengthOf(cell), y: cell.score, ...cell.interval })),
      };
    });
    const xLabel = "sentences (log scale)";
    const plot = {
      title: `${world}: right answers, 95 % intervals`,
      xLabel,
      yLabel: "right",
      xScale: "log" as const,
    };
    return [[`board-${world}.svg`, linePlot({ ...plot, yMin: 0, yMax: 1, series })]];
  });
  return Object.fromEntries(figures);
}

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1f2328;background:#fff}
table{border-collapse:collapse;margin:0 0 1.5rem}th,td{padding:.25rem .75rem;text-align:right;border-bottom:1px solid #d0d7de}
th:nth-child(-n+2),td:nth-child(-n+2){text-align:left}td{white-space:nowrap}td:first-child{white-space:normal;min-width:9rem}.wide{overflow-x:auto}img{max-width:100%;height:auto}
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{border-color:#30363d}}`;

function pageOf(
  title: string,
  facts: Readonly<Record<string, string | number>>,
  board: Board,
  figures: readonly string[],
): Html {
  const table = ({
    name,
    rows,
  }: {
    readonly name: string;
    readonly rows: readonly (readonly string[])[];
  }) => html`
<h2>${name}</h2>
<div class="wide" tabindex="0" role="region" aria-label="${name}"><table>
<thead><tr>${heading.map((cell) => html`<th scope="col">${cell === "" ? "kind" : cell}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${new Html(style)}</style></head><body><main>
<h1>${title}</h1>
<p>${Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ")}</p>
${Object.entries(board.emptied).map(
  ([group, reasons]) => html`<p><strong>${group}</strong>: no scores, because ${reasons.join("; ")}.</p>`,
)}
${tablesOf(board).map(table)}
${figures.map((file) => html`<p><img src="${file}" alt="${file.replace(/^board-|\.svg$/g, "")}: scores by length"></p>`)}
${
  board.pairs.length > 0
    ? html`<h2>Between entries</h2><ul>${board.pairs.map(
        (pair) => html`<li>${pair.group}, ${pair.division}: ${pairLine(pair)}</li>
`,
      )}</ul>`
    : undefined
}
${board.failed.map(
  (one) => html`<p>${failureLine(one)}</p>
`,
)}<p>${note}</p>
</main></body></html>
`;
}

import { type Axis, linearAxis, logAxis, shortNumber } from "./axis.js";
import { element, escapeXml, picture, text } from "./svg.js";

/** A point of a line, with the ends of its interval. */
export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** The ends of an interval bar. */
  readonly low?: number;
  readonly high?: number;
}

/** A line of a plot. */
export interface PlotSeries {
  readonly name: string;
  readonly points: readonly PlotPoint[];
  /** Draws the series thin and pale without marks, for raw values behind a smoothed line. */
  readonly faint?: boolean;
}

/** A plot of lines, to be written as SVG. */
export interface LinePlot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly PlotSeries[];
  /** Default linear; log puts a tick at every x of the points. */
  readonly xScale?: "linear" | "log";
  /** The y axis covers at least the range from `yMin` to `yMax`. */
  readonly yMin?: number;
  readonly yMax?: number;
}

const width = 760;
/** Height with a legend of one row; each further row adds `legendRow`. */
const height = 420;
const legendRow = 20;
const frame = { left: 76, right: width - 24, top: 78, bottom: height - 58 };
const ink = "#24292f";
const pale = "#57606a";
const grid = "#e3e6ea";
/** Okabe and Ito's colors, which people with any color vision can distinguish, and which are readable on white. */
const colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00"];

/**
 * Draws a line plot as a complete SVG document on a white background, so that it looks the same on light and dark
 * pages.
 */
export function linePlot(plot: LinePlot): string {
  const points = plot.series.flatMap((series) => series.points).filter(isDrawable);
  const x = xAxisOf(plot, points);
  const y = yAxisOf(plot, points);
  const drawn = [
    ...yAxis(plot, y),
    ...xAxis(plot, x),
    ...plot.series.flatMap((series, i) => drawSeries(series, colorOf(plot, i), x, y, i, plot.series.length)),
  ];
  if (points.length === 0) {
    const middle = { x: (frame.left + frame.right) / 2, y: (frame.top + frame.bottom) / 2 };
    drawn.push(text("no data", { ...middle, "text-anchor": "middle", "font-size": 14, fill: pale }));
  }
  const places = legendPlaces(plot);
  const more = (places.at(-1)?.row ?? 0) * legendRow;
  return picture(plot.title, { width, height: height + more }, [
    element("rect", { x: 0, y: 0, width, height: height + more, rx: 8, fill: "#ffffff" }),
    text(plot.title, { x: frame.left, y: 32, "font-size": 17, "font-weight": 600, fill: ink }),
    ...(more === 0 ? drawn : [element("g", { transform: `translate(0 ${more})` }, drawn.join("\n"))]),
    ...legend(plot, places),
  ]);
}

const isDrawable = (point: PlotPoint): boolean => Number.isFinite(point.x) && Number.isFinite(point.y);

function xAxisOf(plot: LinePlot, points: readonly PlotPoint[]): Axis {
  const values = points.map((point) => point.x);
  // Space is left on both sides so that marks do not overlap the frame.
  if (plot.xScale === "log") return logAxis(values, frame.left + 24, frame.right - 24);
  const min = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const max = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return linearAxis(values.length > 0 ? { min, max } : { min: 0, max: 1 }, frame.left, frame.right, 8);
}

function yAxisOf(plot: LinePlot, points: readonly PlotPoint[]): Axis {
  const values = points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]);
  const min = values.reduce((a, b) => Math.min(a, b), plot.yMin ?? Number.POSITIVE_INFINITY);
  const max = values.reduce((a, b) => Math.max(a, b), plot.yMax ?? Number.NEGATIVE_INFINITY);
  const range = Number.isFinite(min) && Number.isFinite(max) ? { min, max } : { min: 0, max: 1 };
  return linearAxis(range, frame.bottom, frame.top);
}

function yAxis(plot: LinePlot, y: Axis): string[] {
  const middle = (frame.top + frame.bottom) / 2;
  return [
    ...y.ticks.flatMap((tick) => [
      element("line", { x1: frame.left, x2: frame.right, y1: y.at(tick), y2: y.at(tick), stroke: grid }),
      text(shortNumber(tick), {
        x: frame.left - 8,
        y: y.at(tick) + 4,
        "text-anchor": "end",
        "font-size": 12,
        fill: pale,
      }),
    ]),
    text(plot.yLabel, {
      x: 0,
      y: 0,
      transform: `translate(20 ${middle}) rotate(-90)`,
      "text-anchor": "middle",
      "font-size": 13,
      fill: ink,
    }),
  ];
}

function xAxis(plot: LinePlot, x: Axis): string[] {
  const { left, right, bottom } = frame;
  return [
    element("line", { x1: left, x2: right, y1: bottom, y2: bottom, stroke: pale }),
    ...x.ticks.flatMap((tick) => [
      element("line", { x1: x.at(tick), x2: x.at(tick), y1: bottom, y2: bottom + 5, stroke: pale }),
      text(shortNumber(tick), {
        x: x.at(tick),
        y: bottom + 20,
        "text-anchor": "middle",
        "font-size": 12,
        fill: pale,
      }),
    ]),
    text(plot.xLabel, {
      x: (left + right) / 2,
      y: height - 14,
      "text-anchor": "middle",
      "font-size": 13,
      fill: ink,
    }),
  ];
}

function drawSeries(series: PlotSeries, color: string, x: Axis, y: Axis, i: number, count: number): string[] {
  const points = series.points.filter(isDrawable);
  // Bars of several series at the same x are drawn side by side.
  const shift = (i - (count - 1) / 2) * 5;
  const bars = points.flatMap(({ x: value, low, high }) => {
    if (low === undefined || high === undefined) return [];
    const at = x.at(value) + shift;
    const [top, bottom] = [y.at(high), y.at(low)];
    const path = `M${at - 4} ${top}H${at + 4}M${at} ${top}V${bottom}M${at - 4} ${bottom}H${at + 4}`;
    return [element("path", { d: rounded(path), stroke: color, "stroke-width": 1.4, fill: "none" })];
  });
  const moved = bars.length > 0 ? shift : 0;
  const line = points
    .map((point, at) => `${at === 0 ? "M" : "L"}${x.at(point.x) + moved} ${y.at(point.y)}`)
    .join("");
  const stroke = series.faint ? { "stroke-width": 1, "stroke-opacity": 0.35 } : { "stroke-width": 2.2 };
  const lines =
    points.length > 1
      ? [
          element("path", {
            d: rounded(line),
            stroke: color,
            fill: "none",
            "stroke-linejoin": "round",
            ...stroke,
          }),
        ]
      : [];
  const marks = isMarked(series)
    ? points.map((point) => mark(i, x.at(point.x) + moved, y.at(point.y), color))
    : [];
  return [...bars, ...lines, ...marks];
}

/** Returns whether the points of a series have marks. On long curves, marks would hide the line. */
const isMarked = (series: PlotSeries): boolean => !series.faint && series.points.length <= 40;

const rounded = (path: string): string =>
  path.replace(/-?\d+\.\d+(?:e-?\d+)?/g, (number) => String(Math.round(Number(number) * 100) / 100));

/** Draws the mark of one point. Series differ in the shape of their marks as well as in color. */
function mark(i: number, x: number, y: number, color: string): string {
  const look = { fill: color, stroke: "#ffffff", "stroke-width": 1.2 };
  if (i % 3 === 1) return element("rect", { x: x - 4.2, y: y - 4.2, width: 8.4, height: 8.4, ...look });
  if (i % 3 === 2)
    return element("path", { d: rounded(`M${x} ${y - 5.5}L${x + 5.2} ${y + 4}H${x - 5.2}Z`), ...look });
  return element("circle", { cx: x, cy: y, r: 4.6, ...look });
}

/** Returns the color of series i. A faint series has the color of the series after it and uses up none. */
function colorOf(plot: LinePlot, i: number): string {
  const before = plot.series.slice(0, i).filter((series) => !series.faint).length;
  return colors[before % colors.length] as string;
}

interface LegendPlace {
  readonly x: number;
  readonly row: number;
}

/** Places the names beside each other, in a new row where one does not fit. Letters are about 7.2 wide. */
function legendPlaces({ series }: LinePlot): LegendPlace[] {
  let [x, row] = [frame.left, 0];
  return series.map(({ name }) => {
    const needed = 30 + name.length * 7.2;
    if (x > frame.left && x + needed > frame.right) [x, row] = [frame.left, row + 1];
    const place = { x, row };
    x += needed + 18;
    return place;
  });
}

function legend(plot: LinePlot, places: readonly LegendPlace[]): string[] {
  return plot.series.flatMap((series, i) => {
    const { x, row } = places[i] as LegendPlace;
    const y = 54 + row * legendRow;
    const color = colorOf(plot, i);
    const stroke = series.faint ? { "stroke-width": 1, "stroke-opacity": 0.5 } : { "stroke-width": 2.2 };
    return [
      element("line", { x1: x, x2: x + 22, y1: y, y2: y, stroke: color, ...stroke }),
      ...(isMarked(series) ? [mark(i, x + 11, y, color)] : []),
      text(series.name, { x: x + 28, y: y + 4, "font-size": 13, fill: ink }),
    ];
  });
}

/** Draws one or more line plots below each other as one SVG document. */
export function stackedPlots(plots: readonly LinePlot[]): string {
  let whole = 0;
  const stacked = plots.map((plot) => {
    const svg = linePlot(plot);
    const placed = svg.replace("<svg ", `<svg x="0" y="${whole}" `).trim();
    whole += Number(/ height="(\d+)"/.exec(svg)?.[1]);
    return placed;
  });
  const attributes = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${whole}" width="${width}" height="${whole}" role="img"`;
  const title = `<title>${escapeXml(plots.map((plot) => plot.title).join("; "))}</title>`;
  return `<svg ${attributes}>\n${title}\n${stacked.join("\n")}\n</svg>\n`;
}

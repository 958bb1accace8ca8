import { type LinePlot, linePlot } from "./line-plot.js";
import { escapeXml } from "./svg.js";

/** Draws one or more line plots below each other as one SVG document. */
export function stackedPlots(plots: readonly LinePlot[]): string {
  const documents = plots.map(linePlot);
  const height = Number(/ height="(\d+)"/.exec(documents[0] ?? "")?.[1]);
  const width = Number(/ width="(\d+)"/.exec(documents[0] ?? "")?.[1]);
  const whole = height * plots.length;
  const stacked = documents.map((svg, i) => svg.replace("<svg ", `<svg x="0" y="${i * height}" `).trim());
  const attributes = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${whole}" width="${width}" height="${whole}" role="img"`;
  const title = `<title>${escapeXml(plots.map((plot) => plot.title).join("; "))}</title>`;
  return `<svg ${attributes}>\n${title}\n${stacked.join("\n")}\n</svg>\n`;
}

import { dotPlot } from "../dot-plot.js";
import { linePlot, type PlotSeries } from "../line-plot.js";
import type { Metric } from "./scorer.js";
import { allGroups, type SuiteSummary } from "./summary.js";

/**
 * Plots one metric of all systems with intervals: over numeric groups as lines, else as dots, one per system and group.
 */
export function scorePlot(summary: SuiteSummary, metric: Metric): string {
  const { systems, groups } = summary;
  const title = `${metric.label}, 95 % intervals`;
  const numeric = groups.every((group) => typeof group === "number" && group > 0);
  if (numeric && groups.length > 1) {
    return linePlot({
      title,
      xLabel: "group (log scale)",
      yLabel: metric.label,
      xScale: "log",
      yMin: 0,
      yMax: 1,
      series: systems.map(
        ({ system, cells }): PlotSeries => ({
          name: system,
          points: cells.flatMap(({ group, metrics }) => {
            const found = metrics[metric.name];
            return typeof group === "number" && found
              ? [{ x: group, y: found.value, ...found.interval }]
              : [];
          }),
        }),
      ),
    });
  }
  const several = groups.length > 1;
  return dotPlot({
    title,
    xLabel: metric.label,
    rows: systems.flatMap(({ system, cells }) =>
      cells
        .filter((cell) => !several || cell.group !== allGroups)
        .flatMap(({ group, metrics }) => {
          const found = metrics[metric.name];
          const name = several ? `${system} · ${group}` : system;
          return found ? [{ name, value: found.value, ...found.interval }] : [];
        }),
    ),
  });
}

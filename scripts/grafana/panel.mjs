// Panels of Grafana from what distinguishes them: a title, expressions with their legends, a unit.

/** Grafana's schema of dashboards that these are written for. */
const schemaVersion = 39;
const columns = 24;
const height = 7;

/**
 * @param {string} title what the panel shows
 * @param {Record<string, string>} series expressions by legend, in which {{label}} stands for a label's value
 * @param {{ unit?: string, description?: string, max?: number, width?: number, kind?: "timeseries" | "stat" }} [options]
 */
export function panel(
  title,
  series,
  { unit = "short", description, max, width = 8, kind = "timeseries" } = {},
) {
  return { title, series, unit, description, max, width, kind };
}

/**
 * A dashboard's JSON: rows of panels, three in a line unless they say otherwise.
 * @param {{ uid: string, title: string, rows: Record<string, ReturnType<typeof panel>[]> }} board
 */
export function dashboard({ uid, title, rows }) {
  const panels = [];
  let y = 0;
  for (const [row, list] of Object.entries(rows)) {
    panels.push({
      type: "row",
      title: row,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    });
    y += 1;
    let x = 0;
    for (const one of list) {
      if (x + one.width > columns) {
        x = 0;
        y += height;
      }
      panels.push(grafanaPanel(one, { x, y, w: one.width, h: height }));
      x += one.width;
    }
    y += height;
  }
  return {
    uid,
    title,
    tags: ["palimpsest"],
    schemaVersion,
    editable: true,
    refresh: "10s",
    time: { from: "now-30m", to: "now" },
    links: [
      { type: "dashboards", title: "Palimpsest", tags: ["palimpsest"], asDropdown: true, keepTime: true },
    ],
    panels: panels.map((one, at) => ({ id: at + 1, ...one })),
  };
}

function grafanaPanel({ title, series, unit, description, max, kind }, gridPos) {
  const datasource = { type: "prometheus", uid: "palimpsest" };
  return {
    type: kind,
    title,
    ...(description ? { description } : {}),
    gridPos,
    datasource,
    fieldConfig: {
      defaults: { unit, min: 0, ...(max === undefined ? {} : { max }), custom: {} },
      overrides: [],
    },
    options:
      kind === "stat" ? { colorMode: "value" } : { legend: { showLegend: true }, tooltip: { mode: "multi" } },
    targets: Object.entries(series).map(([legendFormat, expr], at) => ({
      refId: String.fromCharCode(65 + at),
      datasource,
      expr,
      legendFormat,
    })),
  };
}

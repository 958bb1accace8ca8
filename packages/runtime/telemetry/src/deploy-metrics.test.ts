/**
 * Checks what deploy/ asks of metrics: names and labels are in the catalog, Prometheus accepts the expressions, and the
 * rules pass their tests.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../test/support/temporary-folder.js";
import { catalog } from "./catalog.js";

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const boards = `${root}deploy/grafana/dashboards/`;
const panels = readdirSync(boards).flatMap((file) => {
  const { panels: list } = JSON.parse(readFileSync(`${boards}${file}`, "utf8")) as { panels: Panel[] };
  return list.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ where: `${file}: ${title}`, ...target })),
  );
});
const rules = readFileSync(`${root}deploy/prometheus/rules.yml`, "utf8");
const recorded = [...rules.matchAll(/record: (\S+)/g)].map(([, name]) => name as string);
const recordedLabels: Readonly<Record<string, readonly string[]>> = {
  "palimpsest:resources_leased:ratio": ["resource"],
};
/** Labels that every process has, and those that Prometheus adds. */
const common = ["component", "job", "instance", "le"];
const metrics: Readonly<Record<string, { readonly labels?: readonly string[]; readonly type?: string }>> =
  catalog;

/**
 * Returns the labels of a metric as Prometheus sees it, where a histogram appears as its parts. Undefined when there is
 * no metric of that name.
 */
function labelsOf(name: string): readonly string[] | undefined {
  // The list of targets says the role of each.
  if (name === "up") return ["role"];
  if (name === "process_resident_memory_bytes") return [];
  if (recorded.includes(name)) return recordedLabels[name] ?? [];
  const found = metrics[name] ?? metrics[name.replace(/_(bucket|sum|count)$/, "")];
  return found && (found.labels ?? []);
}

const namesIn = (expression: string) =>
  [...expression.matchAll(/\b(palimpsest[a-z_:]+|process_[a-z_]+|up)\b/g)].map(([, name]) => name as string);
const labelsIn = (text: string) => [
  ...[...text.matchAll(/\b(?:by|on) \(([a-z_, ]*)\)/g)].flatMap(([, list]) =>
    (list as string).split(", ").filter(Boolean),
  ),
  ...[...text.matchAll(/[{,] ?([a-z_]+)[!=]~?=?"/g)].map(([, label]) => label as string),
  ...[...text.matchAll(/\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}/g)].map(([, label]) => label as string),
];

function check(where: string, expression: string, shown: string): void {
  const names = namesIn(expression);
  expect(names.length, where).toBeGreaterThan(0);
  const known = new Set(common);
  for (const name of names) {
    const labels = labelsOf(name);
    expect(labels, `${where}: ${name}`).toBeDefined();
    for (const label of labels ?? []) known.add(label);
  }
  for (const label of labelsIn(`${expression} ${shown}`))
    expect([...known], `${where}: ${label}`).toContain(label);
}

const alerts = rules.split(/\n {6}- /).flatMap((rule) => {
  const expr = /expr: (?:\|\n)?([\s\S]*?)\n {8}[a-z]+:|expr: (?:\|\n)?([\s\S]*)$/.exec(rule);
  const name = /^(?:alert|record): (\S+)/.exec(rule)?.[1];
  return expr && name ? [{ name, expr: (expr[1] ?? expr[2]) as string, rule }] : [];
});

describe("deploy/", () => {
  it("asks for metrics and labels that are in the catalog", () => {
    expect(panels.length).toBeGreaterThan(60);
    expect(alerts.length).toBeGreaterThan(15);
    for (const { where, expr, legendFormat } of panels) check(where, expr, legendFormat);
    for (const { name, expr, rule } of alerts) check(name, expr, rule.includes("alert:") ? rule : "");
    expect(() => check("a", "sum by (stage) (palimpsest_learner_loss)", "")).toThrow(/stage/);
    expect(() => check("a", "palimpsest_learner_lost", "")).toThrow(/learner_lost/);
  });

  it("shows every metric of the catalog somewhere", () => {
    const shown = new Set([...panels, ...alerts].flatMap(({ expr }) => namesIn(expr)));
    const parts = new Set([...shown].map((name) => name.replace(/_(bucket|sum|count)$/, "")));
    expect(Object.keys(catalog).filter((name) => !shown.has(name) && !parts.has(name))).toEqual([]);
  });

  const promtool = spawnSync("promtool", ["--version"]).status === 0;
  it.skipIf(!promtool)(
    "has expressions that Prometheus reads, and rules that do what their tests say",
    () => {
      const folder = testFolder();
      const run = (...args: string[]) => {
        const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
        expect(status, `${stdout}${stderr}`).toBe(0);
      };
      const asked = panels.map(({ expr }, at) => ({ record: `panel:${at}`, expr }));
      writeFileSync(
        join(folder, "panels.yml"),
        JSON.stringify({ groups: [{ name: "panels", rules: asked }] }),
      );
      run("check", "rules", join(folder, "panels.yml"), `${root}deploy/prometheus/rules.yml`);
      run("test", "rules", `${root}deploy/prometheus/rules.test.yml`);
    },
  );
});

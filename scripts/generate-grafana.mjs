// Writes deploy/grafana/dashboards from scripts/grafana/boards.mjs; with --check says whether they are what it would write, and
// whether Grafana's own types allow them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { boards } from "./grafana/boards.mjs";
import { dashboard } from "./grafana/panel.mjs";
import { checkSchema } from "./grafana/schema.mjs";

const folder = fileURLToPath(new URL("../deploy/grafana/dashboards/", import.meta.url));
const dashboards = Object.fromEntries(
  Object.entries(boards).map(([name, board]) => [name, dashboard(board)]),
);
const files = new Map(
  Object.entries(dashboards).map(([name, board]) => [`${name}.json`, `${JSON.stringify(board, null, 2)}\n`]),
);
mkdirSync(folder, { recursive: true });
const there = readdirSync(folder);

if (process.argv.includes("--check")) {
  const stale = [...new Set([...there, ...files.keys()])].filter((name) => {
    if (!there.includes(name) || !files.has(name)) return true;
    return readFileSync(`${folder}${name}`, "utf8") !== files.get(name);
  });
  if (stale.length > 0) {
    process.stderr.write(
      `deploy/grafana/dashboards: ${stale.join(", ")} differ: run node scripts/generate-grafana.mjs\n`,
    );
    process.exitCode = 1;
  }
  await checkSchema(dashboards).catch((error) => {
    process.stderr.write(`scripts/grafana: Grafana's types do not allow it: ${error.log ?? error.message}\n`);
    process.exitCode = 1;
  });
} else {
  for (const name of there) if (!files.has(name)) rmSync(`${folder}${name}`);
  for (const [name, text] of files) writeFileSync(`${folder}${name}`, text);
}

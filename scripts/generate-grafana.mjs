// Writes deploy/grafana/dashboards from scripts/grafana/boards.mjs. It needs nothing installed. With --check also says whether Grafana's
// own types allow them.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { boards } from "./grafana/boards.mjs";
import { dashboard } from "./grafana/panel.mjs";

const folder = fileURLToPath(new URL("../deploy/grafana/dashboards/", import.meta.url));
const dashboards = Object.fromEntries(
  Object.entries(boards).map(([name, board]) => [name, dashboard(board)]),
);

mkdirSync(folder, { recursive: true });
for (const file of readdirSync(folder))
  if (!(file.replace(/\.json$/, "") in boards)) rmSync(`${folder}${file}`);
for (const [name, board] of Object.entries(dashboards))
  writeFileSync(`${folder}${name}.json`, `${JSON.stringify(board, null, 2)}\n`);

if (process.argv.includes("--check")) {
  const { checkSchema } = await import("./grafana/schema.mjs");
  await checkSchema(dashboards).catch((error) => {
    process.stderr.write(`scripts/grafana: Grafana's types do not allow it: ${error.log ?? error.message}\n`);
    process.exitCode = 1;
  });
}

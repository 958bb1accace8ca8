// Writes deploy/grafana/dashboards from scripts/grafana/boards.mjs; with --check says whether they are what it would write.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { boards } from "./grafana/boards.mjs";
import { dashboard } from "./grafana/panel.mjs";

const folder = fileURLToPath(new URL("../deploy/grafana/dashboards/", import.meta.url));
const files = new Map(
  Object.entries(boards).map(([name, board]) => [
    `${name}.json`,
    `${JSON.stringify(dashboard(board), null, 2)}\n`,
  ]),
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
} else {
  for (const name of there) if (!files.has(name)) rmSync(`${folder}${name}`);
  for (const [name, text] of files) writeFileSync(`${folder}${name}`, text);
}

// Makes a picture of a page of the dashboard over the folder of a finished run.
// Usage: node scripts/pictures/dashboard.mjs RUN_FOLDER PAGE OUT.png [--width 1280] [--height 800]
//   PAGE: what stands behind the run in the address, for example "episode/8"; "" is the run's own page.
// Needs a Chromium (PALIMPSEST_CHROMIUM, default /usr/bin/chromium) and built pages (npm run setup).
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { width: { type: "string", default: "1280" }, height: { type: "string", default: "800" } },
});
const [run, page, out] = positionals;
if (out === undefined) throw new Error("usage: dashboard.mjs RUN_FOLDER PAGE OUT.png");
const command = fileURLToPath(new URL("../../packages/cli/bin/palimpsest.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "palimpsest-pages-"));
const browser = await chromium.launch({
  executablePath: process.env.PALIMPSEST_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  execFileSync(process.execPath, [command, "dashboard", "export", run, "--out", join(folder, "pages")]);
  const view = await browser.newPage({
    viewport: { width: Number(values.width), height: Number(values.height) },
    colorScheme: "light",
  });
  const address = pathToFileURL(join(folder, "pages/index.html")).href;
  await view.goto(`${address}#/runs/${basename(resolve(run))}${page === "" ? "" : `/${page}`}`);
  await view.waitForSelector("main h1, main h2");
  await view.waitForTimeout(1000);
  await view.screenshot({ path: out });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

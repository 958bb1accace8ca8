// Makes a picture of a page of the dashboard over the folder of a finished run, such as those of the README and the guides.
// Usage: node scripts/pictures/dashboard.mjs RUN_FOLDER PAGE OUT.png [--element SELECTOR] [--width 1280] [--height 800]
//   PAGE: what stands behind the run in the address, for example "episode/8"; "" is the run's own page.
//   --element: only this element of the page, whole.
// The README's: node scripts/pictures/dashboard.mjs runs/quickstart-TIME "" docs/images/microscope.png --element .before-after
// Needs a Chromium (on the PATH, or named by the variable CHROMIUM) and built pages (npm run setup).
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { startChromium } from "../chromium.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    element: { type: "string" },
    width: { type: "string", default: "1280" },
    height: { type: "string", default: "800" },
  },
});
const [run, page, out] = positionals;
if (out === undefined) throw new Error("usage: dashboard.mjs RUN_FOLDER PAGE OUT.png [--element SELECTOR]");
const command = fileURLToPath(new URL("../../packages/apps/cli/bin/palimpsest.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "palimpsest-pages-"));
const browser = await startChromium();
try {
  execFileSync(process.execPath, [command, "dashboard", "export", run, "--out", join(folder, "pages")]);
  const view = await browser.newPage({
    viewport: { width: Number(values.width), height: Number(values.height) },
    colorScheme: "light",
  });
  const address = pathToFileURL(join(folder, "pages/index.html")).href;
  await view.goto(`${address}#/runs/${basename(resolve(run))}${page === "" ? "" : `/${page}`}`);
  await view.waitForSelector("main h1, main h2");
  // The page is complete once nothing on it loads any more.
  await view.waitForSelector(values.element ? `${values.element} table` : "main table, main .list");
  if (values.element) await view.locator(values.element).first().screenshot({ path: out });
  else await view.screenshot({ path: out });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

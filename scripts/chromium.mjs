// A Chromium of this machine, for pictures and for the check of the site.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Starts it. @throws where none is on the PATH or named by the variable CHROMIUM */
export async function startChromium() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const executablePath = [
    process.env.CHROMIUM ?? "",
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
  ].find((path) => path !== "" && existsSync(path));
  if (executablePath === undefined)
    throw new Error("no Chromium was found: put one on the PATH, or name it by CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

// Lets the built page learn in Chromium, opened as a file, with its rewards as earned and shuffled, and prints the table.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

/** The longest that a run may take, on a machine that does other things, too. */
const mostMs = 30 * 60_000;

async function openPage(address) {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
    existsSync,
  );
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage();
  page.on("console", (message) => message.type() === "error" && process.stderr.write(`${message.text()}\n`));
  await page.goto(address);
  return { browser, page };
}

async function learn(page, shuffled) {
  await page.getByRole("checkbox").setChecked(shuffled);
  const before = await figure(page, 0);
  await page.getByRole("button", { name: "Train" }).click();
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await page.getByRole("button", { name: "Train" }).waitFor({ timeout: mostMs });
  const steps = await page.locator("main").getAttribute("data-steps");
  // The last examination comes after the last step.
  await page.locator(`main[data-examined="${steps}"]`).waitFor({ timeout: mostMs });
  const text = await page.locator("#figures").textContent();
  return { before, after: await figure(page, 1), steps, seconds: Number(/(\d+) s/.exec(text)?.[1]) };
}

const figure = async (page, place) => await page.locator("#figures b").nth(place).textContent();

export async function checkPlayground(file, bytes) {
  const { browser, page } = await openPage(pathToFileURL(file).href);
  try {
    const paint = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    );
    await page.locator("#figures b").first().waitFor({ timeout: mostMs });
    const earned = await learn(page, false);
    const shuffled = await learn(page, true);
    for (const [rewards, { before, after, steps, seconds }] of Object.entries({
      "as earned": earned,
      shuffled,
    }))
      process.stdout.write(
        `rewards ${rewards}: exact match ${before} before, ${after} after ${steps} steps and ${seconds} s\n`,
      );
    process.stdout.write(`${bytes} bytes; first contentful paint ${Math.round(paint ?? Number.NaN)} ms\n`);
  } finally {
    await browser.close();
  }
}

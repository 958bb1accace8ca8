// Lets the built page learn in Chromium, opened as a file, with its rewards as earned and shuffled, and prints the table.
import { pathToFileURL } from "node:url";
import { startChromium } from "../scripts/chromium.mjs";

/** The longest that a run may take, on a machine that does other things, too. */
const mostMs = 30 * 60_000;

async function openPage(address) {
  const browser = await startChromium();
  const page = await browser.newPage();
  page.on("console", (message) => message.type() === "error" && process.stderr.write(`${message.text()}\n`));
  await page.goto(address);
  return { browser, page };
}

/** Processor seconds of all of Chromium: other programs of the machine lengthen a run, and hardly these. */
async function processorSeconds(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function learn(browser, page, shuffled) {
  await page.getByRole("checkbox").setChecked(shuffled);
  const before = await figure(page, 0);
  const usedBefore = await processorSeconds(browser);
  await page.getByRole("button", { name: "Train" }).click();
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await page.getByRole("button", { name: "Train" }).waitFor({ timeout: mostMs });
  const steps = await page.locator("main").getAttribute("data-steps");
  // The last examination comes after the last step.
  await page.locator(`main[data-examined="${steps}"]`).waitFor({ timeout: mostMs });
  const text = await page.locator("#figures").textContent();
  const processor = Math.round((await processorSeconds(browser)) - usedBefore);
  const seconds = Number(/(\d+) s/.exec(text)?.[1]);
  return { before, after: await figure(page, 1), steps, seconds, processor };
}

const figure = async (page, place) => await page.locator("#figures b").nth(place).textContent();

export async function checkPlayground(file, bytes) {
  const { browser, page } = await openPage(pathToFileURL(file).href);
  try {
    const paint = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    );
    await page.locator("#figures b").first().waitFor({ timeout: mostMs });
    const earned = await learn(browser, page, false);
    const shuffled = await learn(browser, page, true);
    for (const [rewards, { before, after, steps, seconds, processor }] of Object.entries({
      "as earned": earned,
      shuffled,
    }))
      process.stdout.write(
        `rewards ${rewards}: exact match ${before} before, ${after} after ${steps} steps and ${seconds} s, ${processor} s of processors\n`,
      );
    process.stdout.write(`${bytes} bytes; first contentful paint ${Math.round(paint ?? Number.NaN)} ms\n`);
  } finally {
    await browser.close();
  }
}

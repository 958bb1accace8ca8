// `npm run site -- --check`: opens pages of the built site in Chromium, wide and narrow, light and dark, and judges what a reader
// would meet: errors, requests to others, what axe calls serious, text that is wider than the screen, bytes of the first load,
// and the search. Pictures are written to site/.check.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { startChromium } from "../chromium.mjs";
import { root } from "../setup/paths.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = join(root, "site/.check");

/** A page of each kind; the home page is the first. */
const paths = [
  "index.html",
  "tutorials/ask.html",
  "guides/actors.html",
  "reference/configuration.html",
  "reference/api/client.html",
  "explanation/architecture.html",
];
const widths = [1280, 390];
const schemes = ["light", "dark"];
/** The bound of what the home page loads, as it comes over the wire. */
const firstLoadBytes = 300_000;

/** Opens a page with an empty cache. */
async function open(browser, address, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:" && origin !== new URL(address).origin) problems.push(`asked ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} of ${response.url()}`);
  });
  await page.goto(address, { waitUntil: "networkidle" });
  return { context, page, problems };
}

/** What axe calls serious or critical. */
async function axeProblems(page) {
  const violations = await page.evaluate(async (source) => {
    if (globalThis.axe === undefined) new Function(source)();
    return (await globalThis.axe.run()).violations;
  }, axe);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `axe: ${id}: ${nodes[0].html.slice(0, 160)} ${nodes[0].failureSummary ?? ""}`);
}

/** Milliseconds to the first paint, and bytes as transferred and as unpacked, of everything that was loaded. */
const figures = (page) =>
  page.evaluate(() => {
    const loaded = [
      ...performance.getEntriesByType("navigation"),
      ...performance.getEntriesByType("resource"),
    ];
    const sum = (field) => loaded.reduce((total, entry) => total + entry[field], 0);
    return {
      paintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
      wireBytes: sum("transferSize"),
      unpackedBytes: sum("decodedBodySize"),
    };
  });

/** The search finds a word of the documents, and is usable by all. */
async function searchProblems(page, picture) {
  await page.keyboard.press("/");
  const box = page.locator("input.search-input");
  await box.fill("deadline");
  await page.locator(".results li a").first().waitFor();
  await page.screenshot({ path: picture });
  const found = await axeProblems(page);
  await page.keyboard.press("Enter");
  await page.waitForURL(/#/);
  return found;
}

/**
 * Checks the site at an address, and prints a line for each page.
 *
 * @returns {Promise<number>} how many problems were found
 */
export async function checkSite(address) {
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const browser = await startChromium();
  let wrong = 0;
  const say = (name, text, problems) => {
    process.stdout.write(`${problems.length > 0 ? "FAILED" : "ok"}  ${name}  ${text}\n`);
    for (const problem of problems) process.stdout.write(`  ${problem.replaceAll("\n", " ")}\n`);
    wrong += problems.length;
  };
  const checkPage = async (path, width, scheme) => {
    const name = `${path.replace(/\.html$/, "").replaceAll("/", "-")}-${width}-${scheme}`;
    const { context, page, problems } = await open(browser, `${address}${path}`, width, scheme);
    const { paintMs, wireBytes, unpackedBytes } = await figures(page);
    await page.screenshot({ path: join(pictures, `${name}.png`) });
    problems.push(...(await axeProblems(page)));
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overflow > 0) problems.push(`the page is ${overflow} px wider than the screen`);
    if (path === "index.html" && wireBytes > firstLoadBytes)
      problems.push(`${wireBytes} bytes are loaded: at most ${firstLoadBytes}`);
    if (path === "index.html")
      problems.push(...(await searchProblems(page, join(pictures, `search-${width}-${scheme}.png`))));
    const kB = (bytes) => `${Math.round(bytes / 1000)} kB`;
    say(
      name,
      `${Math.round(paintMs)} ms to the first paint, ${kB(wireBytes)}, unpacked ${kB(unpackedBytes)}`,
      problems,
    );
    await context.close();
  };
  try {
    for (const path of paths)
      for (const width of widths) for (const scheme of schemes) await checkPage(path, width, scheme);
  } finally {
    await browser.close();
  }
  process.stdout.write(`${wrong} problems; pictures in ${pictures}\n`);
  return wrong;
}

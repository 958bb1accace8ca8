/** Tests runs, episodes and the memory microscope in a real Chromium, over a folder of runs without a cluster. */
import { appendFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createLogger } from "@palimpsest/telemetry";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPages } from "../../packages/apps/dashboard/build.mjs";
import {
  exportRuns,
  type FolderDashboard,
  pageFolder,
  startFolderDashboard,
} from "../../packages/apps/dashboard/src/index.js";
import { expectAccessible, findChromium, picture, TestBrowser, widthOf } from "../support/browser.js";
import { writePlantedEvaluations, writePlantedRun, writeToolRun } from "../support/planted-run.js";
import { fileFolder } from "../support/temporary-folder.js";

const chromium = findChromium();
if (chromium === undefined)
  process.stderr.write("skipped: pages of runs, since this machine has no Chromium\n");

const dir = fileFolder();
let server: FolderDashboard;
let browser: TestBrowser;

beforeAll(async () => {
  await buildPages();
  for (const name of ["planted-one", "planted-two"])
    writePlantedRun(join(dir, name), { steps: 4, groupsPerStep: 5, groupSize: 4 });
  writeToolRun(join(dir, "tools"));
  writePlantedRun(join(dir, "learned"), { steps: 4, groupsPerStep: 1, groupSize: 2 });
  writePlantedEvaluations(join(dir, "learned"));
  const logger = createLogger({ component: "test", level: "silent" });
  server = await startFolderDashboard({ host: "127.0.0.1", port: 0, runs: [dir], logger });
  if (chromium) browser = await TestBrowser.start(chromium);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function open(page: Page, place: string): Promise<void> {
  await page.goto(`http://${server.address}/${place}`);
  await page.getByLabel("Token").fill(server.token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const get = async (path: string, token = server.token) =>
  await fetch(`http://${server.address}/api${path}`, { headers: { authorization: `Bearer ${token}` } });

describe("over HTTP", () => {
  test("nothing but what lies in the folders is read, and nothing without the token", async () => {
    for (const path of [
      "/runs",
      "/runs/planted-one/metrics",
      "/runs/planted-one/episodes",
      "/runs/planted-one/episodes/0",
    ])
      expect((await get(path, "another")).status).toBe(401);
    for (const id of ["..", "%2e%2e", "..%2f..%2fetc", "%2Fetc", "planted-one%2F..%2Fplanted-two"])
      expect((await get(`/runs/${id}/metrics`)).status, id).toBe(404);
    expect((await get("/runs/planted-one/episodes/x")).status).toBe(400);
    expect((await get("/runs/planted-one/episodes/900000")).status).toBe(404);
    expect((await get("/summary")).status).toBe(404);
  });

  test("half a line is left until it is whole, a wrong one is told, and a file that is gone takes its rows along", async () => {
    const folder = join(dir, "growing");
    writePlantedRun(folder, { steps: 2, groupsPerStep: 1, groupSize: 2 });
    const look = async () =>
      (await get("/runs/growing/episodes")).json() as Promise<{
        total: number;
        problems: string[];
        generation: number;
      }>;
    await expect.poll(async () => (await look()).total).toBe(4);
    const last = join(folder, "traces/step-00000002.jsonl");
    const line = JSON.stringify({ no: "trace" });
    appendFileSync(last, `${line}\n{"half`);
    await expect.poll(async () => (await look()).problems.join()).toContain("is not a trace");
    expect((await look()).total).toBe(4);
    const { generation } = await look();
    rmSync(join(folder, "traces/step-00000001.jsonl"));
    await expect.poll(async () => (await look()).total).toBe(2);
    expect((await look()).generation).toBeGreaterThan(generation);
    expect((await get(`/runs/growing/episodes/0?generation=${generation}`)).status).toBe(404);
    truncateSync(last);
    writeFileSync(join(folder, "run.json"), "{");
    await expect.poll(async () => (await look()).total).toBe(0);
    const growing = async () => {
      const runs = (await (await get("/runs")).json()) as { rows: { id: string; problem: string }[] };
      return runs.rows.find(({ id }) => id === "growing");
    };
    expect((await growing())?.problem).toContain("cannot be read");
    rmSync(folder, { recursive: true });
    // Pages that list it would ask for what is gone.
    await expect.poll(growing).toBeUndefined();
  });
});

/** Walks from the list to a failed episode, its lanes and its group, and back with the keyboard. */
async function walk(page: Page): Promise<void> {
  await page.getByRole("link", { name: "planted-one" }).click();
  await page.locator("[data-found]").filter({ hasText: "80 of 80" }).waitFor();
  await page.locator(".losses button").first().click();
  const found = page.locator("[data-found]");
  await found.filter({ hasNotText: "80 of 80" }).waitFor();
  await page.getByRole("link", { name: "no filter" }).click();
  await found.filter({ hasText: "80 of 80" }).waitFor();
  await page.getByLabel("Outcome").selectOption("discarded");
  await found.filter({ hasText: "4 of 80" }).waitFor();
  await page.getByRole("cell", { name: "the engine did not answer" }).first().waitFor();
  await page.getByLabel("Outcome").selectOption("failed");
  await page.getByLabel("Step").selectOption("2");
  await page.getByRole("table", { name: "Episodes" }).getByRole("link").first().click();
  await page.getByRole("group", { name: "Lanes of the facts" }).waitFor();
  await page.getByRole("group", { name: "The group's lanes" }).waitFor();
}

describe.skipIf(chromium === undefined)("in Chromium", () => {
  test("a browser that lets pages keep nothing shows them all the same, in both themes", async () => {
    const page = await browser.page();
    await page.addInitScript(() => {
      const get = () => {
        throw new DOMException("Access is denied for this document.", "SecurityError");
      };
      Object.defineProperty(globalThis, "localStorage", { get });
    });
    await open(page, "#/runs");
    await page.getByRole("link", { name: "planted-one" }).waitFor();
    await page.keyboard.press("t");
    await expect.poll(() => page.evaluate("document.documentElement.dataset.theme")).toBeDefined();
    await page.context().close();
  });

  test("a page that fails says so beside the tabs, which still work, and is tried again", async () => {
    const page = await browser.page();
    await page.addInitScript(`globalThis.ResizeObserver = class extends ResizeObserver {
      constructor(changed) {
        if (globalThis.isBroken) throw new TypeError("planted failure");
        super(changed);
      }
    };`);
    await open(page, "#/alerts");
    await page.locator("[data-alerts]").waitFor();
    await page.evaluate("globalThis.isBroken = true");
    await page.getByRole("link", { name: "Training" }).click();
    const failed = page.getByRole("alert").filter({ hasText: "TypeError: planted failure" });
    await failed.waitFor();
    await expectAccessible(page);
    await picture(page, "failed-page");
    await page.keyboard.press("3");
    await page.locator("[data-alerts]").waitFor();
    expect(await failed.count()).toBe(0);
    await page.goBack();
    await failed.waitFor();
    await page.evaluate("globalThis.isBroken = false");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("canvas").first().waitFor();
    await page.context().close();
    const told = browser.problems.splice(0);
    expect(told.filter((problem) => !problem.includes("planted failure"))).toEqual([]);
  });

  test("from a run to an episode's lanes and its group; keys; a phrase; a link is enough", async () => {
    const page = await browser.page();
    await open(page, "#/runs");
    await page.getByRole("link", { name: "planted-one" }).waitFor();
    await picture(page, "runs-1280");
    await walk(page);
    await expectAccessible(page);
    await picture(page, "episode-1280");
    await page.keyboard.press("j");
    await page.locator('[data-chunk="1"]').waitFor();
    await page.keyboard.press("k");
    await page.locator('[data-chunk="0"]').waitFor();
    const before = await page.locator("[data-episode]").getAttribute("data-episode");
    await page.keyboard.press("n");
    await page.locator(`[data-episode]:not([data-episode="${before}"])`).waitFor();
    await page.getByLabel("Follow a phrase").fill("the keys since Monday");
    await page
      .getByRole("rowheader", { name: /phrase the keys/ })
      .first()
      .waitFor();
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page
      .getByRole("rowheader", { name: /phrase the keys/ })
      .first()
      .waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await picture(page, "episode-390");
    await page.goto(`http://${server.address}/#/runs/planted-one`);
    await page.locator("[data-found]").filter({ hasText: "80 of 80" }).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await picture(page, "episodes-390");
    await page.setViewportSize({ width: 1280, height: 900 });
    await expectAccessible(page);
    await picture(page, "episodes-1280");
    await page.context().close();
  });

  test("a run opens on what it kept before and after training, question by question", async () => {
    const page = await browser.page();
    await open(page, "#/runs/learned");
    const shown = page.locator('[data-pairs="3"]');
    await shown.getByText("question 1 of 3").waitFor();
    const strips = shown.getByRole("group", { name: "Memories before and after training" });
    await strips.locator("td.memory.bad").first().waitFor();
    await strips.locator("td.memory.good").first().waitFor();
    expect(await strips.locator("td.read").count()).toBeGreaterThan(0);
    expect(await strips.locator("tbody tr").nth(1).locator("td").last().textContent()).toContain("wrong");
    expect(await strips.locator("tbody tr").nth(2).locator("td").last().textContent()).toContain("right");
    // It comes before everything else of the run.
    expect(await page.locator("main section").first().getAttribute("data-pairs")).toBe("3");
    await expectAccessible(page);
    await picture(page, "before-after-1280");
    await shown.getByRole("button", { name: /Next/ }).click();
    await shown.getByText("question 2 of 3").waitFor();
    expect(page.url()).toContain("pair=1");
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await picture(page, "before-after-390");
    await page.setViewportSize({ width: 1280, height: 900 });
    await strips.getByRole("link", { name: "memory after 4 steps" }).click();
    await page.getByRole("heading", { name: "The same question in 2 evaluations" }).waitFor();
    await page.goto(`http://${server.address}/#/runs/learned`);
    const found = page.locator("[data-found]");
    await found.filter({ hasText: "14 of 14" }).waitFor();
    await page.getByLabel("Played by").selectOption("eval");
    await found.filter({ hasText: "6 of 14" }).waitFor();
    const rewards = page.getByRole("table", { name: "Episodes" }).locator(".rows .row > :nth-child(5)");
    const order = async () => (await rewards.allTextContents()).map(Number);
    const header = page.getByRole("columnheader", { name: /^reward/ });
    await header.getByRole("button").click();
    await expect.poll(order).toEqual([0, 0, 0, 1, 1, 1]);
    await header.getByRole("button").click();
    await expect.poll(order).toEqual([1, 1, 1, 0, 0, 0]);
    expect(await header.getAttribute("aria-sort")).toBe("descending");
    await page.context().close();
  });

  test("a live run removes the traces of old steps: the list keeps its rows, and an episode stays the one that is read", async () => {
    const folder = join(dir, "live");
    writePlantedRun(folder, { steps: 3, groupsPerStep: 2, groupSize: 2 });
    const page = await browser.page();
    await open(page, "#/runs/live");
    const found = page.locator("[data-found]");
    await found.filter({ hasText: "12 of 12" }).waitFor();
    await page.evaluate(`globalThis.fewest = 12;
      new MutationObserver(() => {
        const list = document.querySelector('[aria-label="Episodes"]');
        if (list) globalThis.fewest = Math.min(globalThis.fewest, Number(list.ariaRowCount) - 1);
      }).observe(document.body, { subtree: true, childList: true, attributes: true });`);
    rmSync(join(folder, "traces/step-00000001.jsonl"));
    await found.filter({ hasText: "8 of 8" }).waitFor();
    expect(await page.evaluate("globalThis.fewest")).toBe(8);
    await page.getByLabel("Step").selectOption("3");
    await page.getByRole("table", { name: "Episodes" }).getByRole("link").first().click();
    const read = page.locator('[data-episode="4"]');
    const from = page.locator("dl.facts dd.dim").last();
    await read.filter({ hasText: "g3-0.0" }).waitFor();
    await page.getByRole("group", { name: "The group's lanes" }).locator("tbody").nth(1).waitFor();
    await page.evaluate(`globalThis.read = new Set();
      new MutationObserver(() => {
        globalThis.read.add(document.querySelector("dl.facts dd.dim:last-of-type")?.textContent ?? "nothing");
      }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });`);
    const told = await from.textContent();
    rmSync(join(folder, "traces/step-00000002.jsonl"));
    await page.locator('[data-episode="0"]').waitFor();
    expect(await from.textContent()).toBe(told);
    expect(await page.evaluate("[...globalThis.read]")).toEqual([told]);
    expect(page.url()).toContain("/episode/0?");
    await page.context().close();
    rmSync(folder, { recursive: true });
    await expect.poll(async () => await (await get("/runs")).text()).not.toContain('"live"');
  });

  test("keys act on no page behind a dialog, and not at all where a reader has turned them off", async () => {
    const page = await browser.page();
    await open(page, "#/runs");
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keys" });
    await page.keyboard.press("1");
    expect(page.url()).toContain("#/runs");
    await expectAccessible(page);
    await picture(page, "keys");
    await dialog.getByLabel("these keys act").uncheck();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.keyboard.press("1");
    await page.reload();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    await page.keyboard.press("1");
    expect(page.url()).toContain("#/runs");
    await page.getByRole("button", { name: "Keys" }).click();
    await dialog.getByLabel("these keys act").check();
    await page.keyboard.press("Escape");
    await page.keyboard.press("1");
    await page.getByRole("heading", { name: "Training" }).waitFor();
    // Screen readers and the Tab key continue in the page, not in its tabs.
    expect(await page.evaluate("document.activeElement.tagName")).toBe("MAIN");
    await page.context().close();
  });

  test("what the update made of tokens, the store around each tool call, and why an episode was left out", async () => {
    const page = await browser.page();
    await open(page, "#/runs/tools");
    await page.locator("[data-found]").filter({ hasText: "2 of 2" }).waitFor();
    await page.getByLabel("Outcome").selectOption("discarded");
    await page.getByRole("cell", { name: "ZERO_VARIANCE" }).waitFor();
    await page.getByRole("table", { name: "Episodes" }).getByRole("link").first().click();
    await page.getByText("its group was not trained: ZERO_VARIANCE").waitFor();
    await page.goto(`http://${server.address}/#/runs/tools/episode/0`);
    const update = page.locator('[data-call="manage_memory"]').first();
    expect(await update.locator(".change").innerHTML()).toMatch(/<del[^>]*>figs.*<ins[^>]*>dates/s);
    expect(await page.locator('[data-call="search_memory"] .dim').first().textContent()).toBe(
      "nothing changed",
    );
    expect(await update.locator("summary").textContent()).toContain("1 before, 1 after");
    const strip = page.locator("details", { hasText: "Tokens with their log-probs" });
    await strip.locator("summary").click();
    expect(await strip.locator("summary").textContent()).toMatch(
      /40, advantage 1\.25, ratios 0\.940 to 1\.660, 2 clipped, 3 masked/,
    );
    expect(await strip.locator("span.clipped").count()).toBe(2);
    expect(await strip.locator("span.masked").count()).toBe(3);
    expect(await strip.locator("span").nth(3).getAttribute("title")).toBe(
      "token 3: id 103, log-prob -1, ratio 1.0000, clipped",
    );
    await expectAccessible(page);
    await picture(page, "tools-1280");
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await picture(page, "tools-390");
    await page.context().close();
  });

  test("runs laid over one another, smoothed, the bottleneck of a step named, and a press on a curve", async () => {
    const page = await browser.page({ colorScheme: "dark" });
    await open(page, "#/training?runs=planted-one,planted-two");
    await page.locator("[data-bottleneck]").first().filter({ hasText: "rollout" }).waitFor();
    const charts = page.locator(".curve canvas");
    await expect.poll(() => charts.count()).toBeGreaterThanOrEqual(5);
    await page.getByLabel("Filter metrics").fill("*");
    await page
      .locator("[data-charts]")
      .filter({ hasText: /^(\d+) of \1 metrics/ })
      .waitFor();
    await page.getByLabel("Filter metrics").fill("");
    const loss = page.locator('[data-curve="update.loss"]');
    await loss.locator("[data-value]").filter({ hasText: "step 4" }).waitFor();
    const plot = await loss.locator(".u-over").boundingBox();
    await loss.locator(".u-over").hover({ position: { x: 2, y: 40 } });
    // Of two runs both values are shown, at the step under the pointer.
    await loss
      .locator("[data-value]")
      .filter({ hasText: /^1\s*1\s*step 1/ })
      .waitFor();
    expect(plot?.width).toBeGreaterThan(200);
    await page.mouse.move(0, 0);
    await page.getByLabel("smoothing").fill("60");
    await expectAccessible(page);
    await picture(page, "training-1280-dark");
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await picture(page, "training-390-dark");
    await page.setViewportSize({ width: 1280, height: 900 });
    const over = page.locator(".u-over").first();
    const box = await over.boundingBox();
    await over.click({ position: { x: (box?.width ?? 200) - 4, y: 60 } });
    await expect.poll(() => page.url()).toContain("#/runs/planted-one?step=4");
    await page.locator("[data-found]").filter({ hasText: "20 of 80" }).waitFor();
    await page.context().close();
  });

  test("the same from an exported folder, opened as a file without any server", async () => {
    const out = join(dir, "exported-pages");
    await exportRuns([join(dir, "planted-one")], out, pageFolder);
    const page = await browser.page();
    await page.goto(`${pathToFileURL(join(out, "index.html")).href}#/runs`);
    await walk(page);
    await page.context().close();
  });

  test("no page complained or asked anything of elsewhere", () => {
    expect(browser.problems).toEqual([]);
  });
});

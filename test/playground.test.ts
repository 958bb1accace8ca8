/** Tests the playground in a real Chromium: one file that loads nothing, from a folder and from a server. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPlayground } from "../playground/build.mjs";
import { expectAccessible, findChromium, picture, TestBrowser, widthOf } from "./support/browser.js";
import { fileFolder } from "./support/temporary-folder.js";

const chromium = findChromium();
if (chromium === undefined)
  process.stderr.write("skipped: the playground, since this machine has no Chromium\n");

const folder = fileFolder();
const file = join(folder, "index.html");
const mostBytes = 10_000_000;
let browser: TestBrowser;
const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/html").end(readFileSync(file));
});

beforeAll(async () => {
  if (chromium === undefined) return;
  expect((await buildPlayground(folder)).bytes).toBeLessThan(mostBytes);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await TestBrowser.start(chromium);
});

afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => server.close(resolve));
});

describe.skipIf(chromium === undefined)("the playground", () => {
  test("reads, learns a step and refuses words that its model does not know, from a file", async () => {
    const page = await browser.page();
    await page.goto(pathToFileURL(file).href);
    await page.getByText(/(right|wrong: \w+)$/).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByLabel("Text").fill("sara likes milk. Ada likes boats.");
    expect(await page.getByText(/does not know: Ada\./).textContent()).toContain("Use the words below");
    expect(await page.getByRole("button", { name: "Read it" }).isDisabled()).toBe(true);
    await page.getByLabel("Text").fill("sara likes milk. tim likes boats.");
    await page.getByRole("button", { name: "Read it" }).click();
    await page.getByText("what does sara like?").waitFor();
    await page.getByText(/(right|wrong: milk)$/).waitFor();
    await page.locator("#figures b").first().waitFor();
    await page.getByRole("button", { name: "Train" }).click();
    await page.getByText("· step 1 ·").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Train" }).waitFor();
    await expectAccessible(page);
    await picture(page, "playground-light");
    expect(browser.problems).toEqual([]);
  });

  test("reads from a server, on a phone in the dark", async () => {
    const width = 390;
    const page = await browser.page({ viewport: { width, height: 844 }, colorScheme: "dark" });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.getByText(/(right|wrong: \w+)$/).waitFor();
    await expectAccessible(page);
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    await picture(page, "playground-phone-dark");
    expect(browser.problems).toEqual([]);
  });
});

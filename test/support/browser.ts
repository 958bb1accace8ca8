import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const require = createRequire(import.meta.url);

/** Path of a Chromium of this machine; undefined where there is none. CHROMIUM names one. */
export function findChromium(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env["PATH"] ?? "").split(":");
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env["CHROMIUM"] ?? "", ...paths].find((path) => path !== "" && existsSync(path));
}

/** A real browser, and what its pages complain of. */
export class TestBrowser {
  readonly problems: string[] = [];
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(executablePath: string): Promise<TestBrowser> {
    // Tests run as root in containers, where Chromium's sandbox has nothing to build on.
    const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
    return new TestBrowser(await chromium.launch({ executablePath, args }));
  }

  /** A page of a reader of its own. Answers 401 and 403 are asked for by the tests; all else that it complains of is kept. */
  async page(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const context: BrowserContext = await this.#browser.newContext({
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("console", (message) => {
      const asked = /status of 40[13]/.test(message.text());
      if ((message.type() === "error" || message.type() === "warning") && !asked)
        this.problems.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.problems.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (!/^(https?:\/\/(127\.0\.0\.1|localhost)[:/]|data:|blob:|file:)/.test(request.url()))
        this.problems.push(`asked ${request.url()}`);
    });
    return page;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** Nothing that axe calls serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await page.evaluate(
    async (source) => {
      // The page's own policy lets no foreign script in: this one comes by the debugger.
      const own = globalThis as unknown as { axe?: { run: () => Promise<AxeResult> } };
      if (own.axe === undefined) new Function(source)();
      if (own.axe === undefined) throw new Error("axe did not load");
      return await own.axe.run();
    },
    readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"),
  );
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)).toEqual([]);
}

/** How wide the page is: wider than its window, it would have to be moved sideways. */
export async function widthOf(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth"));
}

/** Keeps a picture where DASHBOARD_PICTURES names a folder: for people. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env["DASHBOARD_PICTURES"];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

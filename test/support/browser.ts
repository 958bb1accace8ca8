import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const require = createRequire(import.meta.url);

/** Returns the path of a Chromium on this machine, or undefined if there is none. The variable CHROMIUM may name it. */
export function findChromium(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env["PATH"] ?? "").split(":");
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env["CHROMIUM"] ?? "", ...paths].find((path) => path !== "" && existsSync(path));
}

/** A real browser, and the errors that its pages report. */
export class TestBrowser {
  readonly problems: string[] = [];
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(executablePath: string): Promise<TestBrowser> {
    // Tests run as root in containers, where Chromium's sandbox does not work.
    const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
    return new TestBrowser(await chromium.launch({ executablePath, args, timeout: 600_000 }));
  }

  /**
   * Opens a page in its own browser context. The tests cause answers 401 and 403 on purpose; all other errors of the
   * page are recorded.
   */
  async page(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const context: BrowserContext = await this.#browser.newContext({
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(600_000);
    page.on("console", (message) => {
      const asked = /status of 40[13]/.test(message.text());
      if ((message.type() === "error" || message.type() === "warning") && !asked)
        this.problems.push(`${message.type()}: ${message.text()} ${message.location().url}`);
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

/** Expects no violation that axe calls serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await page.evaluate(
    async (source) => {
      // The page's own policy admits no foreign script, so this one is injected through the debugger.
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

/** Returns the width of the page. If it is wider than its window, it has to be scrolled sideways. */
export async function widthOf(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth"));
}

/** Saves a screenshot for people if DASHBOARD_PICTURES names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env["DASHBOARD_PICTURES"];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/**
 * Observes a cluster as in practice: a scraper of all of its metrics pages, and an open dashboard that polls as its
 * pages do.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TestCluster } from "../../test/support/test-cluster.js";

const scrapeEveryMs = 5_000;
/** The requests of the dashboard's pages, and how often each is sent (`usePoll` in packages/apps/dashboard/page). */
const polls: readonly (readonly [path: string, everyMs: number])[] = [
  ["/summary", 2_000],
  ["/nodes?limit=5000", 2_000],
  ["/actors?limit=5000", 2_000],
  ["/events?limit=2000", 2_000],
  ["/tasks?limit=5000&job=", 2_000],
  ["/jobs", 2_000],
  ["/runs", 3_000],
  ["/runs/RUN/metrics", 3_000],
];

export class Watcher {
  scrapes = 0;
  scrapedBytes = 0;
  requests = 0;
  /** Rounds of scraping over all pages. */
  #rounds = 0;
  #watchedMs = 0;
  #startedAtMs = 0;
  readonly #times: number;
  readonly #pages: string;
  readonly #dashboard: string;
  readonly #headers: Readonly<Record<string, string>>;
  #runId = "";
  #problem: unknown;
  #ending = new AbortController();
  #loops: Promise<void>[] = [];

  private constructor(pages: string, dashboard: string, token: string, times: number) {
    this.#times = times;
    this.#pages = pages;
    this.#dashboard = dashboard;
    this.#headers = { authorization: `Bearer ${token}` };
  }

  /** @param times the factor by which it polls more often than in practice */
  static async of(cluster: TestCluster, times: number): Promise<Watcher> {
    const { metricsAddress } = await cluster.client.info();
    const dashboard = /dashboard +(http:\S+)/.exec(cluster.head.output)?.[1];
    if (dashboard === undefined) throw new Error(`the head serves no dashboard: ${cluster.head.output}`);
    const token = readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim();
    return new Watcher(metricsAddress, dashboard.replace(/\/$/, ""), token, times);
  }

  /** The factor that was actually reached: the lower one of requests and scrapes. */
  get timesInTruth(): number {
    const inLife = polls.reduce((sum, [, everyMs]) => sum + 1 / everyMs, 0) * this.#watchedMs;
    return Math.min(this.requests / inLife, (this.#rounds * scrapeEveryMs) / this.#watchedMs);
  }

  start(): void {
    this.#startedAtMs = performance.now();
    this.#ending = new AbortController();
    this.#loops = [
      this.#every(scrapeEveryMs, () => this.#scrape()),
      ...polls.map(([path, everyMs]) => this.#every(everyMs, () => this.#poll(path))),
    ];
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#loops);
    if (this.#loops.length > 0) this.#watchedMs += performance.now() - this.#startedAtMs;
    this.#loops = [];
    if (this.#problem !== undefined) throw this.#problem;
  }

  async #every(everyMs: number, act: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await act().catch((reason: unknown) => {
        this.#problem ??= reason;
      });
      await delay(everyMs / this.#times, undefined, { signal }).catch(() => undefined);
    }
  }

  async #text(url: string): Promise<string> {
    const response = await fetch(url, { headers: this.#headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
    return text;
  }

  async #scrape(): Promise<void> {
    const found = JSON.parse(await this.#text(`http://${this.#pages}/targets`)) as { targets: string[] }[];
    const pages = found.flatMap(({ targets }) => targets);
    for (const page of pages) this.scrapedBytes += (await this.#text(`http://${page}/metrics`)).length;
    this.scrapes += pages.length;
    this.#rounds += 1;
  }

  async #poll(path: string): Promise<void> {
    await this.#text(`${this.#dashboard}/api${path.replace("RUN", await this.#run())}`);
    this.requests += 1;
  }

  /** The name of the run in the dashboard, which is known after the first request. */
  async #run(): Promise<string> {
    if (this.#runId === "") {
      const { rows } = JSON.parse(await this.#text(`${this.#dashboard}/api/runs`)) as {
        rows: { id: string }[];
      };
      this.#runId = encodeURIComponent(rows[0]?.id ?? "");
    }
    return this.#runId;
  }
}

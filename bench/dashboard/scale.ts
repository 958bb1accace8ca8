/**
 * The dashboard over many episodes and many actors, in a real Chromium:
 *   node --import tsx --conditions=@palimpsest/source bench/dashboard/scale.ts [--episodes 10000] [--chunks 30] [--actors 10000]
 * Episodes are made by the fixture of planted losses, with prose around it; rows of actors are made here; server and pages are
 * the real ones. Needs built packages and a Chromium.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLogger } from "@palimpsest/telemetry";
import { Credentials, headService, jobsService, LocalCalls, servePart, unary } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { Page } from "playwright-core";
import { buildPages } from "../../packages/dashboard/build.mjs";
import { startDashboard, startFolderDashboard } from "../../packages/dashboard/src/index.js";
import { plantedEpisode } from "../../packages/evals/src/microscope/planted.fixture.js";
import { findChromium, TestBrowser } from "../../test/support/browser.js";

const { values } = parseArgs({
  options: {
    episodes: { type: "string", default: "10000" },
    chunks: { type: "string", default: "30" },
    actors: { type: "string", default: "10000" },
  },
});
const [episodes, chunks, actors] = [Number(values.episodes), Number(values.chunks), Number(values.actors)];
const filler =
  "It had been a long year for the town, and those who stayed spoke of little else than the harvest and the road. ".repeat(
    12,
  );
const rows: { readonly what: string; readonly value: string }[] = [];
const tell = (what: string, value: string) => {
  rows.push({ what, value });
  console.log(`${what.padEnd(62)} ${value}`);
};
const ms = (value: number) => `${value.toFixed(0)} ms`;
const rss = () => process.memoryUsage.rss() / 2 ** 20;

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** @returns bytes */
function writeEpisodes(folder: string): number {
  mkdirSync(join(folder, "traces"), { recursive: true });
  const createdAt = new Date(1_790_000_000_000).toISOString();
  const recipe = { name: "scale", agent: { kind: "memagent" }, train: { steps: 10 } };
  writeFileSync(join(folder, "run.json"), JSON.stringify({ runId: "run-scale", createdAt, recipe }));
  let bytes = 0;
  const perStep = Math.ceil(episodes / 10);
  for (let step = 1; step <= 10; step++) {
    const file = openSync(join(folder, "traces", `step-${String(step).padStart(8, "0")}.jsonl`), "w");
    for (let at = 0; at < perStep && (step - 1) * perStep + at < episodes; at++) {
      const { trace } = plantedEpisode((step - 1) * perStep + at + 1, chunks);
      const line = {
        ...trace,
        ...{
          origin: "train",
          groupId: `g${step}-${Math.floor(at / 8)}`,
          episodeIndex: at % 8,
          trainingStep: step,
        },
        memorySteps: trace.memorySteps.map((one) => ({ ...one, section: `${filler} ${one.section}` })),
      };
      bytes += writeSync(file, `${JSON.stringify(line)}\n`);
    }
    closeSync(file);
  }
  return bytes;
}

/** Milliseconds from what is done to the first frame that shows it. */
async function timed(page: Page, act: () => Promise<void>, shown: string): Promise<number> {
  // Text, not a function: tsx puts names of its own into functions, which the page does not have.
  await page.evaluate(`(() => {
    globalThis.tookMs = undefined;
    const begin = () => {
      const at = performance.now();
      const look = () => {
        if (${shown}) globalThis.tookMs = performance.now() - at;
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    };
    for (const kind of ["keydown", "input"]) addEventListener(kind, begin, { once: true, capture: true });
  })()`);
  await act();
  for (;;) {
    const took = await page.evaluate("globalThis.tookMs");
    if (typeof took === "number") return took;
  }
}

async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation").waitFor();
}

/** A fresh load of the page, until the selector is there; from the browser's own clock. */
async function paint(page: Page, url: string, selector: string): Promise<{ first: number; content: number }> {
  await page.goto("about:blank");
  await page.goto(url, { waitUntil: "commit" });
  await page.locator(selector).first().waitFor();
  return await page.evaluate(() => ({
    first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    content: performance.now(),
  }));
}

async function benchEpisodes(browser: TestBrowser, dir: string): Promise<void> {
  const bytes = writeEpisodes(join(dir, "scale"));
  tell("episodes, chunks, bytes", `${episodes}, ${chunks}, ${(bytes / 1e6).toFixed(0)} MB`);
  const logger = createLogger({ component: "bench", level: "silent" });
  const server = await startFolderDashboard({ host: "127.0.0.1", port: 0, runs: [dir], logger });
  const page = await browser.page();
  const place = `http://${server.address}/#/runs/scale`;
  const row = '[aria-label="Episodes"] [role="row"] a';
  await signIn(page, `http://${server.address}/#/runs`, server.token);
  const before = rss();
  const beganAt = performance.now();
  const cold = await paint(page, place, row);
  tell("first paint, nothing read yet", `${ms(cold.first)}; first rows ${ms(cold.content)}`);
  await page
    .locator("[data-found]")
    .filter({ hasText: `${episodes} of ${episodes}` })
    .waitFor({ timeout: 600_000 });
  tell("all traces read and analyzed", `${((performance.now() - beganAt) / 1000).toFixed(1)} s`);
  const paints: Awaited<ReturnType<typeof paint>>[] = [];
  for (let round = 0; round < 5; round++) paints.push(await paint(page, place, row));
  const median = (of: "first" | "content") =>
    quantile(
      paints.map((one) => one[of]).sort((a, b) => a - b),
      0.5,
    );
  tell(
    "first paint, index in memory (median of 5)",
    `${ms(median("first"))}; first rows ${ms(median("content"))}`,
  );
  await page
    .locator("[data-found]")
    .filter({ hasText: `${episodes} of ${episodes}` })
    .waitFor();
  const filter = page.getByLabel("Filter episodes");
  const filters: number[] = [];
  for (const [word, other] of [
    ["rome", "oslo"],
    ["tom", "anna"],
    ["kyoto", "hugo"],
    ["lima", "rosa"],
    ["quito", "paul"],
  ])
    for (const text of [word ?? "", other ?? ""]) {
      const found = await page.locator("[data-found]").textContent();
      const shown = `document.querySelector("[data-found]").textContent !== ${JSON.stringify(found)}`;
      filters.push(await timed(page, () => filter.fill(text), shown));
    }
  filters.sort((a, b) => a - b);
  tell(
    "filter over all rows, median and worst of 10",
    `${ms(quantile(filters, 0.5))}, ${ms(filters.at(-1) ?? 0)}`,
  );
  await page.goto(`http://${server.address}/#/runs/scale/episode/0`);
  await page.locator('[data-chunk="0"]').waitFor();
  await page.getByRole("group", { name: "The group's lanes" }).locator("tbody").first().waitFor();
  const steps: number[] = [];
  for (let round = 0; round < 7; round++)
    for (let chunk = 1; chunk < chunks; chunk++) {
      const [key, to] = round % 2 === 0 ? ["j", chunk] : ["k", chunks - 1 - chunk];
      steps.push(
        await timed(
          page,
          () => page.keyboard.press(key),
          `document.querySelector('[data-chunk="${to}"]') !== null`,
        ),
      );
    }
  steps.sort((a, b) => a - b);
  tell(
    `next chunk, median and p95 of ${steps.length}`,
    `${ms(quantile(steps, 0.5))}, ${ms(quantile(steps, 0.95))}`,
  );
  const nexts: number[] = [];
  const middle = rss();
  for (let at = 1; at <= 100; at++)
    nexts.push(
      await timed(
        page,
        () => page.keyboard.press("n"),
        `document.querySelector('[data-episode="${at}"]') !== null`,
      ),
    );
  nexts.sort((a, b) => a - b);
  tell("next episode, median and p95 of 100", `${ms(quantile(nexts, 0.5))}, ${ms(quantile(nexts, 0.95))}`);
  const authorization = `Bearer ${server.token}`;
  const sizes: number[] = [];
  for (let round = 0; round < 5; round++) {
    for (let at = 0; at < 400; at++)
      await (
        await fetch(`http://${server.address}/api/runs/scale/episodes/${(at * 7) % episodes}`, {
          headers: { authorization },
        })
      ).arrayBuffer();
    sizes.push(rss());
  }
  tell(
    "memory: before, index made, after 400, 800, … 2,000 episodes",
    [before, middle, ...sizes].map((size) => `${size.toFixed(0)} MiB`).join(", "),
  );
  await page.context().close();
  await server.close();
}

async function benchActors(browser: TestBrowser): Promise<void> {
  const token = "a token of this bench alone";
  const credentials = Credentials.ofCluster(token);
  const calls = new LocalCalls(credentials, () => undefined);
  const all = Array.from(
    { length: actors },
    (_, at): proto.ActorInfo.$Properties => ({
      spec: {
        actorId: `actor-${at}`,
        role: at % 50 === 0 ? "learner" : "rollout",
        jobId: `job-${at % 7}`,
        resources: { quantities: { cpu: 1 } },
      },
      state: at % 100 === 0 ? proto.ActorState.ACTOR_STATE_PENDING : proto.ActorState.ACTOR_STATE_ALIVE,
      ...{ nodeId: `node-${at % 100}`, pid: 1000 + at, incarnation: 1, createdAtMs: 1_790_000_000_000 },
    }),
  );
  const nodes = Array.from(
    { length: 100 },
    (_, at): proto.NodeInfo.$Properties => ({
      ...{ nodeId: `node-${at}`, hostname: `host-${at}`, pid: 1, state: proto.NodeState.NODE_STATE_ALIVE },
      ...{
        total: { quantities: { cpu: 128 } },
        available: { quantities: { cpu: 28 } },
        lastHeartbeatMs: Date.now(),
      },
    }),
  );
  servePart(calls, headService, {
    getCluster: unary(() => ({ clusterName: "bench" })),
    summarize: unary(() => ({ actors: [{ state: proto.ActorState.ACTOR_STATE_ALIVE, count: actors }] })),
    listQueues: unary(() => ({ queues: [] })),
    listNodes: unary(() => ({ nodes })),
    listActors: unary(({ limit, pageToken }: proto.ListActorsRequest.$Properties) => {
      const from = Number(pageToken || 0);
      const to = from + (limit ?? 1000);
      return { actors: all.slice(from, to), nextPageToken: to < all.length ? String(to) : "" };
    }),
  });
  servePart(calls, jobsService, {});
  const logger = createLogger({ component: "bench", level: "silent" });
  const cluster = { credentials, calls, jobLogBytes: () => 0 };
  const server = await startDashboard(cluster, { host: "127.0.0.1", port: 0, logger, runs: [] });
  const page = await browser.page();
  await signIn(page, `http://${server.address}/#/cluster`, token);
  const row = '[aria-label="Actors"] [role="row"] code';
  const paints: number[] = [];
  for (let round = 0; round < 5; round++)
    paints.push((await paint(page, `http://${server.address}/#/cluster`, row)).content);
  paints.sort((a, b) => a - b);
  tell(`map of ${actors} actors on 100 nodes, all rows there (median of 5)`, ms(quantile(paints, 0.5)));
  const filter = page.getByLabel("Filter actors");
  const filters: number[] = [];
  for (const text of ["learner", "job-3", "pending", "actor-99", "alive"]) {
    const shown = `document.querySelector('[aria-label="Actors"]').ariaRowCount !== ${JSON.stringify(await page.locator('[aria-label="Actors"]').getAttribute("aria-rowcount"))}`;
    filters.push(await timed(page, () => filter.fill(text), shown));
  }
  filters.sort((a, b) => a - b);
  tell(
    "filter over all actors, median and worst of 5",
    `${ms(quantile(filters, 0.5))}, ${ms(filters.at(-1) ?? 0)}`,
  );
  const before = rss();
  await page.waitForTimeout(10_000);
  tell(
    "memory of the server, before and after 10 s of polling",
    `${before.toFixed(0)} MiB, ${rss().toFixed(0)} MiB`,
  );
  await page.context().close();
  await server.close();
}

const chromium = findChromium();
if (chromium === undefined)
  throw new Error("this machine has no Chromium: install one, or name it with CHROMIUM");
await buildPages();
const dir = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
const browser = await TestBrowser.start(chromium);
try {
  await benchEpisodes(browser, dir);
  await benchActors(browser);
} finally {
  await browser.close();
  rmSync(dir, { recursive: true, force: true });
}
mkdirSync("bench/results", { recursive: true });
writeFileSync("bench/results/dashboard-scale.json", `${JSON.stringify(rows, null, 2)}\n`);

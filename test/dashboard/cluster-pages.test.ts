/** Tests the dashboard in a real Chromium, against a head with two workers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPages } from "../../packages/apps/dashboard/build.mjs";
import { expectAccessible, findChromium, picture, TestBrowser, widthOf } from "../support/browser.js";
import { wordCounters } from "../support/counted-words.js";
import { writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { until } from "../support/until.js";

const chromium = findChromium();
if (chromium === undefined)
  process.stderr.write("skipped: pages of the dashboard, since this machine has no Chromium\n");

/** A module that prints for as long as it is allowed to. */
const chatty = `let n = 0;
console.log("chatty begins");
setInterval(() => console.log("line " + ++n), 100);
`;

let cluster: TestCluster;
let browser: TestBrowser;
let url: string;

beforeAll(async () => {
  await buildPages();
  cluster = await TestCluster.start({ workers: 2 });
  const facts: { dashboardAddress: string } = JSON.parse(
    readFileSync(join(cluster.headDir, "head.json"), "utf8"),
  );
  url = `http://${facts.dashboardAddress}/`;
  if (chromium) browser = await TestBrowser.start(chromium);
});

afterAll(async () => {
  await browser?.close();
  expect(await cluster?.stop()).toEqual([]);
});

const readerToken = () => readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim();

async function signIn(page: Page, token: string, place = ""): Promise<void> {
  await page.goto(`${url}${place}`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Sets what a browser tells a page whose tab is covered by another one. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event("visibilitychange"));`,
  );
}

describe("over HTTP", () => {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${url}${path}`, { headers });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  test("without a token, or with a wrong one, every route of the API tells nothing (DASHBOARD-1)", async () => {
    for (const path of [
      "session",
      "summary",
      "nodes",
      "actors",
      "jobs",
      "events",
      "actors/x",
      "actors/x/log",
      "use",
      "tasks",
      "objects",
      "runs",
      "runs/x/metrics",
      "runs/x/episodes",
      "runs/x/episodes/0",
      "jobs/x",
      "jobs/x/log",
      "no",
    ])
      for (const authorization of ["", "Bearer wrong-token-of-nobody"]) {
        const answer = await get(`api/${path}`, authorization ? { authorization } : {});
        expect(answer.status, path).toBe(401);
        expect(await answer.text()).not.toContain("node-");
      }
    expect((await post("api/jobs", { kind: "recipe", text: "x" })).status).toBe(401);
    expect((await post("api/sign-in", { token: "wrong-token-of-nobody" })).status).toBe(401);
  });

  test("a reader's token looks and neither submits nor stops; the refusals are recorded, the token is not (DASHBOARD-2)", async () => {
    const authorization = `Bearer ${readerToken()}`;
    const session = await (await get("api/session", { authorization })).json();
    expect(session).toMatchObject({ role: "reader", mayChange: false });
    expect((await get("api/actors", { authorization })).status).toBe(200);
    for (const kind of ["recipe", "program"])
      expect((await post("api/jobs", { kind, text: "x" }, { authorization })).status).toBe(403);
    expect((await post("api/jobs/any/stop", {}, { authorization })).status).toBe(403);
    expect((await post("api/actors/any/stack", {}, { authorization })).status).toBe(403);
    const refused = readFileSync(join(cluster.headDir, "refused.log"), "utf8");
    expect(refused).toContain("/palimpsest.v1.Jobs/Submit");
    expect(refused).not.toContain(readerToken());
  });

  test("a sign-in is a cookie that no script reads and that is no token; a page of elsewhere changes nothing (DASHBOARD-2, DASHBOARD-3)", async () => {
    const answer = await post("api/sign-in", { token: cluster.token });
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect(cookie).not.toContain(cluster.token);
    const own = { cookie: cookie.split(";")[0] ?? "" };
    expect((await get("api/summary", own)).status).toBe(200);
    const foreign = { ...own, origin: "http://evil.example" };
    expect((await post("api/jobs/any/stop", {}, foreign)).status).toBe(403);
    const plain = { ...own, "content-type": "text/plain" };
    expect((await post("api/jobs/any/stop", {}, plain)).status).toBe(403);
    expect((await post("api/sign-out", {}, own)).status).toBe(200);
    expect((await get("api/summary", own)).status).toBe(401);
  });

  test("wrong input is answered with the field, and a body that is too long is refused", async () => {
    const authorization = `Bearer ${cluster.token}`;
    const wrong = await post("api/jobs", { kind: "recipe", text: "x", more: 1 }, { authorization });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain("more");
    expect((await get("api/actors?limit=90000", { authorization })).status).toBe(400);
    const long = await post("api/jobs", { kind: "recipe", text: "x".repeat(5_000_000) }, { authorization });
    expect(long.status).toBe(413);
    expect((await get("api/jobs/no-such-job", { authorization })).status).toBe(404);
  });

  test("the files may load nothing from elsewhere", async () => {
    const answer = await get("");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect(await answer.text()).not.toMatch(/https?:/);
  });
});

describe.skipIf(chromium === undefined)("in Chromium", () => {
  test("a link with a token behind # signs in, and leaves no token in the address or the history (DASHBOARD-2)", async () => {
    const page = await browser.page();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.goto(`${url}#/sign-in?token=${cluster.token}`);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    expect(page.url()).not.toContain(cluster.token);
    await page.goBack();
    expect(page.url()).not.toContain(cluster.token);
    expect(sent.join("\n")).not.toContain(cluster.token);
    const stale = await browser.page();
    await stale.goto(`${url}#/sign-in?token=no-token-of-this-head`);
    await stale.getByLabel("Token").waitFor();
    expect(stale.url()).not.toContain("no-token");
  });

  test("a wrong token sees nothing but the sign-in", async () => {
    const page = await browser.page();
    await signIn(page, "wrong-token-of-nobody", "#/jobs");
    await page.getByRole("alert").waitFor();
    await picture(page, "sign-in");
    await expectAccessible(page);
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(page.url()).not.toContain("wrong-token");
    await page.context().close();
  });

  test("the cluster's nodes and actors are shown, and change while one looks", async () => {
    const page = await browser.page();
    await signIn(page, cluster.token);
    const nodes = page.locator('[data-count="nodes-alive"]');
    await nodes.filter({ hasText: "2" }).waitFor();
    const job = await cluster.client.jobs.submit({
      program: new URL("../support/program.ts", import.meta.url),
      argv: ["forever"],
    });
    await page.locator('[data-count="actors-alive"]').filter({ hasText: "1" }).waitFor();
    await page.getByRole("cell", { name: "WordCounter" }).waitFor();
    await expectAccessible(page);
    await picture(page, "cluster-1280");
    await page.setViewportSize({ width: 390, height: 800 });
    await expectAccessible(page);
    await picture(page, "cluster-390");
    const wide = await widthOf(page);
    expect(wide).toBeLessThanOrEqual(390);
    await cluster.client.jobs.stop(job.jobId);
    await page.locator('[data-count="actors-alive"]').filter({ hasText: "0" }).waitFor();
    await page.keyboard.press("8");
    await page.getByRole("heading", { name: "Events" }).waitFor();
    await page.getByRole("cell", { name: "node joined" }).first().waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await picture(page, "events-1280");
    await expectAccessible(page);
    await page.context().close();
  });

  test("an actor has a page: what it uses, its calls, its output, its stack, and how it ended", async () => {
    const page = await browser.page();
    await signIn(page, cluster.token);
    const living = await cluster.client.actor(wordCounters).spawn();
    await living.say("first words");
    for (const word of ["page", "leaf"]) await expect(living.refuse(word)).rejects.toThrow(word);
    const crashed = await cluster.client.actor(wordCounters).spawn();
    await expect(crashed.crash(3)).rejects.toThrow();
    const ended = await cluster.client.actor(wordCounters).spawn();
    await ended.kill();
    const { actorId } = living;
    const { actorId: crashedId } = crashed;
    const { actorId: endedId } = ended;
    const table = page.getByRole("table", { name: "Actors" });
    const row = (id: string) => table.getByRole("row").filter({ hasText: id });
    await row(crashedId).getByText("dead", { exact: true }).waitFor();
    await row(endedId).getByText("ended", { exact: true }).waitFor();
    const ids = await table.locator(".rows code").allTextContents();
    // The living come first, then the failure, and what was asked to end comes last.
    expect(ids.indexOf(actorId)).toBeLessThan(ids.indexOf(crashedId));
    expect(ids.indexOf(crashedId)).toBeLessThan(ids.indexOf(endedId));
    expect(await row(endedId).locator(".state").getAttribute("class")).toContain("dim");
    await page.getByLabel("Filter actors").fill(crashedId);
    await expect.poll(() => table.locator(".rows .row").count()).toBe(1);
    expect(page.url()).toContain(`q=${crashedId}`);
    await row(crashedId).click();
    const certificate = page.locator("[data-certificate]");
    await certificate.getByText("the counter has lost count").waitFor();
    await page.goto(`${url}#/cluster/actor/${endedId}`);
    await certificate.getByText("this end was asked for").waitFor();
    await page.goto(`${url}#/cluster/actor/${actorId}`);
    await page.locator("[data-log]").filter({ hasText: "first words" }).waitFor();
    const calls = page.getByRole("group", { name: "Calls by method" }).getByRole("row");
    await calls.filter({ hasText: "refuse" }).filter({ hasText: "leaf" }).waitFor();
    const counts = await calls.filter({ hasText: "refuse" }).getByRole("cell").allTextContents();
    expect(counts.slice(0, 2)).toEqual(["0", "2"]);
    await page.getByRole("button", { name: "Take its stack" }).click();
    await page.locator("[data-stack]").filter({ hasText: "is idle" }).waitFor();
    // Nodes report what processes really use.
    await page.locator('[data-use="Memory"]').filter({ hasText: /MiB/ }).waitFor();
    await page.locator('[data-use="Memory"] svg').hover({ position: { x: 10, y: 10 } });
    await page.locator('[data-use="Memory"]').filter({ hasText: "ago" }).waitFor();
    await expectAccessible(page);
    await picture(page, "actor-1280");
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await picture(page, "actor-390");
    await page.goto(`${url}#/cluster`);
    await page.locator('[data-use="Disk"]').first().waitFor();
    await living.kill();
    await page.context().close();
  });

  test("a job is submitted, its output followed, and it is stopped", async () => {
    const page = await browser.page({ colorScheme: "dark" });
    await signIn(page, cluster.token, "#/jobs");
    await page.getByRole("button", { name: "Submit a job" }).click();
    await page.getByLabel("Kind").selectOption("program");
    await page.getByLabel("Name").fill("chatty.mjs");
    await page.getByLabel("Text").fill(chatty);
    await page.getByRole("button", { name: "Submit", exact: true }).click();
    const shown = page.locator("section[data-job]");
    await shown.and(page.locator('[data-status="running"]')).waitFor();
    const log = page.locator("[data-log]");
    await log.filter({ hasText: "chatty begins" }).waitFor();
    const count = async () => (await log.textContent())?.match(/line \d+/g)?.length ?? 0;
    const before = await count();
    await until("more lines are followed", async () => (await count()) > before + 3);
    // A browser has six connections to a server for all of its tabs, so hidden tabs must not occupy them.
    for (let tab = 0; tab < 6; tab++) {
      const hidden = await page.context().newPage();
      await hidden.goto(page.url());
      await hidden.locator("[data-log]").filter({ hasText: "chatty begins" }).waitFor();
      await setHidden(hidden, true);
    }
    // A tab that becomes visible again continues where it was: no line is lost, and none is repeated (FOLLOW-1).
    await setHidden(page, true);
    const away = await count();
    await setHidden(page, false);
    await until("lines are followed again", async () => (await count()) > away + 3);
    const numbers = [...((await log.textContent()) ?? "").matchAll(/line (\d+)\n/g)].map(([, n]) =>
      Number(n),
    );
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    await expectAccessible(page);
    await picture(page, "jobs-1280-dark");
    await page.setViewportSize({ width: 390, height: 800 });
    await picture(page, "jobs-390-dark");
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Stop it and its actors" }).click();
    await shown.and(page.locator('[data-status="stopped"]')).waitFor();
    await page.getByText("Output ended").waitFor();
    const { status } = await cluster.client.jobs.get((await shown.getAttribute("data-job")) ?? "");
    expect(status).toBe("stopped");
    // The link to the job is sufficient for anyone who has signed in.
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.locator("[data-log]").filter({ hasText: "chatty begins" }).waitFor();
    await page.context().close();
  });

  test("a training run is watched while it goes on: curves, an episode, its calls, its objects, alerts", async () => {
    const recipe = writeRecipe(await cluster.recipeFolder("live"), {
      ...{ steps: 4, groupsPerStep: 2, rolloutActors: 1 },
      more: { train: { steps: 4, groupsPerStep: 2, traceDetail: "text" } },
    });
    const run = TrainingRun.start(cluster, recipe, join(cluster.dir, "runs/live"));
    const page = await browser.page();
    await signIn(page, cluster.token, "#/training");
    await run.untilStep(1);
    const step = page.locator("[data-bottleneck], .step-bars").first();
    await step.waitFor();
    await run.untilStep(3);
    await page.getByText(/Step [34] took/).waitFor();
    await page.goto(`${url}#/timeline`);
    await page.getByRole("rowheader", { name: /trainStep/ }).waitFor();
    await expectAccessible(page);
    await picture(page, "timeline-1280");
    const kept = await cluster.client.put(new Uint8Array(2_000_000));
    await page.goto(`${url}#/objects`);
    const object = page.getByRole("row").filter({ hasText: kept.objectId });
    // The program that stored it is its owner.
    await object
      .getByRole("cell", { name: /^session-/ })
      .first()
      .waitFor();
    await expectAccessible(page);
    await picture(page, "objects-1280");
    expect((await run.end()).code).toBe(0);
    await page.goto(`${url}#/runs/live`);
    await page.getByRole("table", { name: "Episodes" }).getByRole("link").first().click();
    await page.getByRole("group", { name: "Lanes of the facts" }).waitFor();
    // The prompts were kept, so that it is known what was read.
    await expect.poll(() => page.locator(".lanes td.read").count()).toBeGreaterThan(0);
    await picture(page, "live-episode-1280");
    await page.goto(`${url}#/alerts`);
    await page.locator("[data-alerts]").waitFor();
    await expectAccessible(page);
    await picture(page, "alerts-1280");
    await page.context().close();
  });

  test("an alert has a time, is counted in the title, and is acknowledged for this browser", async () => {
    const job = await cluster.client.jobs.submit({
      program: new URL("../support/program.ts", import.meta.url),
      argv: ["badly"],
    });
    const page = await browser.page();
    await signIn(page, cluster.token, "#/alerts");
    const alert = page
      .locator("[data-alerts] > .alerts > li")
      .filter({ has: page.getByText(/^job .* failed$/) });
    await alert
      .getByText(/^since \d{4}-\d\d-\d\dT[\d:]+Z$/)
      .first()
      .waitFor();
    const before = Number(/^\((\d+)\)/.exec(await page.title())?.[1]);
    expect(before).toBeGreaterThan(0);
    await alert.first().getByRole("button", { name: "Acknowledge" }).click();
    const titleNow = () => page.title();
    await expect.poll(titleNow).not.toContain(`(${before})`);
    await page.reload();
    await page.getByRole("heading", { name: "Acknowledged in this browser" }).waitFor();
    await expect.poll(titleNow).not.toContain(`(${before})`);
    await expectAccessible(page);
    await cluster.client.jobs.delete(job.jobId);
    await page.context().close();
  });

  test("a reader is offered no submission and no stop", async () => {
    const page = await browser.page();
    await signIn(page, readerToken(), "#/jobs");
    await page.getByText("This token can read, but not submit jobs.").waitFor();
    expect(await page.getByRole("button", { name: "Submit a job" }).count()).toBe(0);
    await page.getByRole("link", { name: /^job-/ }).first().click();
    await page.locator("[data-log]").filter({ hasText: "chatty begins" }).waitFor();
    expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
    await page.context().close();
  });

  test("no page complained or asked anything of elsewhere", () => {
    expect(browser.problems).toEqual([]);
  });
});

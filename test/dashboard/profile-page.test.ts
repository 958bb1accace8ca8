/** Tests the page of profiles in a real Chromium, against a head with a worker. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { buildPages } from "../../packages/apps/dashboard/build.mjs";
import { expectAccessible, findChromium, picture, TestBrowser, widthOf } from "../support/browser.js";
import { burningActors } from "../support/burning-actor.js";
import { Command } from "../support/command.js";
import { writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { until } from "../support/until.js";

const chromium = findChromium();
if (chromium === undefined)
  process.stderr.write("skipped: the page of profiles, since this machine has no Chromium\n");

let cluster: TestCluster;
let browser: TestBrowser;
let url: string;

beforeAll(async () => {
  await buildPages();
  cluster = await TestCluster.start();
  const facts: { dashboardAddress: string } = JSON.parse(
    readFileSync(join(cluster.headDir, "head.json"), "utf8"),
  );
  url = `http://${facts.dashboardAddress}/`;
  if (chromium) browser = await TestBrowser.start(chromium);
});

afterAll(async () => {
  await browser?.close();
  expect(browser?.problems ?? []).toEqual([]);
  expect(await cluster?.stop()).toEqual([]);
});

const readerToken = () => readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim();
const post = (body: unknown, token = cluster.token) =>
  fetch(`${url}api/profiles`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
const get = async (path: string, token = cluster.token) =>
  await fetch(`${url}api/profiles${path}`, { headers: { authorization: `Bearer ${token}` } });

interface State {
  readonly id: string;
  readonly state: string;
  readonly problem: string;
}

/** Takes a profile and returns its file. */
async function taken(request: object): Promise<string> {
  const answer = await post(request);
  expect(answer.status, await answer.clone().text()).toBe(200);
  const { id } = (await answer.json()) as State;
  await until("the profile is done", async () => {
    const state = (await (await get("")).json()) as State;
    expect(state.problem).toBe("");
    return state.id === id && state.state === "done";
  });
  return await (await get(`/${id}`)).text();
}

/** The line of the source in which the function begins. */
const burningLine = () =>
  readFileSync(new URL("../support/burning-actor.ts", import.meta.url), "utf8")
    .split("\n")
    .findIndex((line) => line.includes("function burnHere")) + 1;

async function burning(): Promise<string> {
  const actor = await cluster.client.actor(burningActors).spawn();
  await actor.burn();
  onTestFinished(async () => {
    await actor.kill();
  });
  return actor.actorId;
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.goto(`${url}#/sign-in?${new URLSearchParams({ token, to: "profile" })}`);
  await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
}

const heaviest = (page: Page) => page.getByRole("table", { name: "Functions" }).locator(".rows .row").first();

test("a profile is taken by those who may change the cluster, one at a time, within bounds; readers look (DASHPROFILE-1)", async () => {
  const actorId = await burning();
  expect((await post({ kind: "cpu", seconds: 1 }, readerToken())).status).toBe(403);
  for (const wrong of [
    { kind: "cpu", seconds: 21 },
    { kind: "cpu", seconds: 0 },
    { kind: "disk", seconds: 1 },
    { kind: "cpu", seconds: 1, target: "a", job: "b" },
  ])
    expect((await post(wrong)).status).toBe(400);
  expect((await post({ kind: "cpu", seconds: 1, job: "job-nobody" })).status).toBe(404);
  const first = await post({ kind: "cpu", seconds: 2, target: actorId });
  expect(first.status).toBe(200);
  const second = await post({ kind: "cpu", seconds: 2, target: actorId });
  expect(second.status).toBe(409);
  expect(await second.text()).toContain(`${actorId} is being profiled`);
  const { id } = (await first.json()) as State;
  const state = () => get("", readerToken()).then((answer) => answer.json() as Promise<State>);
  await until("the profile is done", async () => (await state()).state === "done");
  const file = await get(`/${id}`, readerToken());
  expect(file.status).toBe(200);
  expect(await file.text()).toContain("burnHere");
  expect((await get("/request-nobody")).status).toBe(404);
  await post({ kind: "cpu", seconds: 1, target: "nobody" });
  await until("it fails", async () => (await state()).state === "failed");
  expect((await state()).problem).toContain('"nobody" is not a running actor');
});

describe.skipIf(chromium === undefined)("in Chromium", () => {
  test("an actor's known function is found at the top, with the line that its author wrote; keys, search and files", async () => {
    const actorId = await burning();
    const page = await browser.page();
    await signIn(page, cluster.token);
    await page.getByLabel("what is profiled").selectOption(`actor ${actorId}`);
    await page.getByLabel("seconds").fill("2");
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator("[data-progress]").waitFor();
    await heaviest(page).filter({ hasText: "burnHere" }).waitFor();
    await heaviest(page)
      .filter({ hasText: `burning-actor.ts:${burningLine()}` })
      .waitFor();
    const flame = page.getByRole("application");
    await flame.focus();
    await page.keyboard.press("ArrowDown");
    const current = page.locator("[data-current]");
    await expect.poll(() => current.textContent()).not.toContain("all processes");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Show all" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("button", { name: "Show all" }).count()).toBe(0);
    await page.getByLabel("Search functions").fill("burnhere");
    await page
      .locator("[data-found]")
      .filter({ hasText: /[1-9]\d* found/ })
      .waitFor();
    await page.locator("[data-flame] canvas").hover({ position: { x: 300, y: 5 } });
    await page.locator(".flame-tip").filter({ hasText: "with calls" }).waitFor();
    await expectAccessible(page);
    await picture(page, "profile-1280");
    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    await expectAccessible(page);
    await picture(page, "profile-1280-dark");
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await picture(page, "profile-390-dark");
    await page.keyboard.press("t");
    await picture(page, "profile-390");
    await page.context().close();
    const reader = await browser.page();
    await signIn(reader, readerToken());
    await heaviest(reader).filter({ hasText: "burnHere" }).waitFor();
    expect(await reader.getByRole("button", { name: "Start" }).count()).toBe(0);
    await reader.context().close();
  });

  test("a file of the command is opened and dropped; `--open` serves the page with the result", async () => {
    const actorId = await burning();
    const output = join(cluster.dir, "burning.cpuprofile");
    const shown = Command.start(["profile", actorId, "--seconds", "1", "--output", output, "--open"], {
      cwd: cluster.dir,
      environment: { PALIMPSEST_ADDRESS: cluster.address, PALIMPSEST_TOKEN: cluster.token },
    });
    onTestFinished(async () => {
      shown.kill("SIGTERM");
      await shown.ended;
    });
    const link = await until(
      "the link is printed",
      () => /^profile {2}(http:\S+)$/m.exec(shown.output)?.[1],
      { explain: () => shown.output },
    );
    const served = await browser.page();
    await served.goto(link);
    await heaviest(served).filter({ hasText: "burnHere" }).waitFor();
    expect(served.url()).not.toContain("token");
    await served.context().close();
    const page = await browser.page();
    await signIn(page, cluster.token);
    const input = page.locator('input[type="file"]');
    await input.setInputFiles({ name: "no.txt", mimeType: "text/plain", buffer: Buffer.from("no") });
    await page.getByRole("alert").filter({ hasText: "no.txt" }).waitFor();
    await input.setInputFiles(output);
    await heaviest(page).filter({ hasText: "burnHere" }).waitFor();
    await page.evaluate(
      `const dropped = new DataTransfer();
      dropped.items.add(new File([JSON.stringify({
        nodes: [
          { id: 1, callFrame: { functionName: "(root)" }, children: [2] },
          { id: 2, callFrame: { functionName: "droppedWork", url: "file:///x/own.js", lineNumber: 6, columnNumber: 0 } },
        ],
        startTime: 0, endTime: 5000, samples: [2], timeDeltas: [0],
      })], "own.cpuprofile"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));`,
    );
    await heaviest(page).filter({ hasText: "own.js:7" }).waitFor();
    await page.context().close();
  });

  test("a training run shows the phases of its learner and samplers in the same seconds", async () => {
    const recipe = writeRecipe(await cluster.recipeFolder("phases"), {
      ...{ steps: 400, groupsPerStep: 2, rolloutActors: 1 },
    });
    const run = TrainingRun.start(cluster, recipe, join(cluster.dir, "runs/phases"));
    const ended = async () => {
      run.driver.kill("SIGTERM");
      await run.end();
    };
    onTestFinished(ended);
    await run.untilStep(1);
    const file = JSON.parse(await taken({ kind: "cpu", seconds: 3 }));
    // The page shows what was taken, and needs no run that goes on.
    await ended();
    const { phases } = file.palimpsest as {
      phases: { role: string; seconds: number; phases: { name: string; seconds: number }[] }[];
    };
    const of = (role: string) => phases.find((one) => one.role === role);
    for (const { seconds, phases: parts } of phases) {
      const sum = parts.reduce((all, part) => all + part.seconds, 0);
      expect(Math.abs(sum - seconds)).toBeLessThan(0.5 * seconds);
    }
    const secondsOf = (role: string, name: string) =>
      of(role)?.phases.find((part) => part.name === name)?.seconds ?? 0;
    expect(secondsOf("learner", "update") + secondsOf("learner", "rollout")).toBeGreaterThan(0);
    expect(secondsOf("rollout", "prefill")).toBeGreaterThan(0);
    expect(secondsOf("rollout", "decode")).toBeGreaterThan(0);
    const page = await browser.page();
    await signIn(page, cluster.token);
    await page.locator('[data-phases="learner"] [data-phase="update"]').waitFor();
    await page.locator('[data-phases="rollout"] [data-phase="decode"]').waitFor();
    await expectAccessible(page);
    await picture(page, "profile-training-1280");
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await page.context().close();
  });
});

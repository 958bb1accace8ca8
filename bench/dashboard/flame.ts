/**
 * Measures the flame graph of a large profile in a real Chromium: from a file to its first drawing, a click that enlarges a
 * bar, and the pointer over the bars. In the first profile every bar is wide enough to be drawn; calls of the second one
 * have sizes as in programs; the third has the same calls in eight processes, which are merged.
 *   node --import tsx --conditions=@palimpsest/source bench/dashboard/flame.ts [--calls 50000] [--rounds 5]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@palimpsest/telemetry";
import type { Page } from "playwright-core";
import { buildPages } from "../../packages/apps/dashboard/build.mjs";
import type { CallTree } from "../../packages/apps/dashboard/src/analysis/call-tree.js";
import { profileFile } from "../../packages/apps/dashboard/src/analysis/profile-file.js";
import { startFolderDashboard } from "../../packages/apps/dashboard/src/index.js";
import { findChromium, TestBrowser } from "../../test/support/browser.js";
import { benchFlags } from "../flags.js";

const flags = benchFlags({ calls: "50000", rounds: "5" });
const [calls, rounds] = [Number(flags.calls), Number(flags.rounds)];
const stackDepth = 20;

interface Call extends CallTree {
  self: number;
  readonly calls: Call[];
}

const call = (number: number, self: number): Call => ({
  ...{
    name: `work${number % 997} (app:src/part-${number % 31}.js:${(number % 400) + 1}:1)`,
    self,
    calls: [],
  },
});

/** Stacks of equal sizes side by side, each of which is half a pixel wide or wider. */
function evenStacks(): Call[] {
  return Array.from({ length: Math.floor(calls / stackDepth) }, (_, stack) => {
    const outermost = call(stack, 0);
    let inner = outermost;
    for (let depth = 1; depth < stackDepth; depth++) {
      const next = call(stack * stackDepth + depth, depth === stackDepth - 1 ? 1 : 0);
      inner.calls.push(next);
      inner = next;
    }
    return { ...outermost, name: `stack${stack} (app:src/stack.js:${stack + 1}:1)` };
  });
}

/** A tree in which few calls take most, the same each time. */
function program(count: number): Call[] {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const all = [call(0, 1)];
  for (let number = 1; number < count; number++) {
    const own = call(number, random() ** -0.7);
    all[Math.floor(random() * Math.min(all.length, 4_000)) + Math.max(0, all.length - 4_000)]?.calls.push(
      own,
    );
    all.push(own);
  }
  return all.slice(0, 1);
}

const asFile = (processes: readonly Call[][]) =>
  profileFile({
    ...{ kind: "cpu", startedAtMs: 1, seconds: 5, problems: [], phases: [] },
    processes: processes.map((own, index) => ({ title: `process ${index}`, pid: index + 1, calls: own })),
  });

const median = (values: number[]) =>
  values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Milliseconds from an event to the end of the frame in which the condition holds and what it shows is drawn. */
async function timed(page: Page, event: string, shown: string, act: () => Promise<void>): Promise<number> {
  await page.evaluate(`(() => {
    globalThis.tookMs = undefined;
    addEventListener(${JSON.stringify(event)}, () => {
      const at = performance.now();
      // The canvas is drawn in the frame after the one that shows the change.
      const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => { globalThis.tookMs = performance.now() - at; }));
      const look = () => (${shown} ? drawn() : requestAnimationFrame(look));
      look();
    }, { once: true, capture: true });
  })()`);
  await act();
  for (;;) {
    const took = await page.evaluate("globalThis.tookMs");
    if (typeof took === "number") return took;
  }
}

async function measure(page: Page, url: string, file: string, what: string): Promise<void> {
  const [opened, worked, clicked, moved]: [number[], number[], number[], number[]] = [[], [], [], []];
  const session = await page.context().newCDPSession(page);
  // Processor time of the page's thread, which other programs on the machine do not lengthen.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const taskMs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
  for (let round = 0; round < rounds; round++) {
    await page.goto("about:blank");
    await page.goto(url);
    const input = page.locator('input[type="file"]');
    await input.waitFor();
    const open = () => input.setInputFiles(file);
    const before = await taskMs();
    opened.push(await timed(page, "change", 'document.querySelector("[data-flame] canvas")', open));
    worked.push((await taskMs()) - before);
    const box = await page.locator("[data-flame] canvas").boundingBox();
    const at = (share: number, row: number) =>
      [(box?.x ?? 0) + share * (box?.width ?? 0), (box?.y ?? 0) + 18 * row + 9] as const;
    for (let step = 1; step <= 10; step++)
      moved.push(
        await timed(page, "mousemove", "true", () => page.mouse.move(...at(step / 20, 2 + (step % 8)))),
      );
    const click = () => page.mouse.click(...at(0.02, 3));
    clicked.push(await timed(page, "click", 'document.querySelector(".flame-keys button")', click));
    const all = page.getByRole("button", { name: "Show all" });
    clicked.push(
      await timed(page, "click", '!document.querySelector(".flame-keys button")', () => all.click()),
    );
  }
  const ms = (values: number[]) =>
    `${median(values).toFixed(0)} (worst ${Math.max(...values).toFixed(0)}) ms`;
  console.log(
    `${what.padEnd(40)} first drawing ${ms(opened)}, of its processor ${ms(worked)}, click ${ms(clicked)}, pointer ${ms(moved)}`,
  );
}

const chromium = findChromium();
if (chromium === undefined)
  throw new Error("this machine has no Chromium: install one, or name it with CHROMIUM");
await buildPages();
const dir = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
const browser = await TestBrowser.start(chromium);
const logger = createLogger({ component: "bench", level: "silent" });
const server = await startFolderDashboard({ host: "127.0.0.1", port: 0, runs: [dir], logger });
try {
  const page = await browser.page();
  const url = `http://${server.address}/#/profile`;
  await page.goto(
    `http://${server.address}/#/sign-in?${new URLSearchParams({ token: server.token, to: "profile" })}`,
  );
  await page.locator('input[type="file"]').waitFor();
  const cases: readonly (readonly [string, Call[][]])[] = [
    [`${calls} calls, each drawn`, [evenStacks()]],
    [`${calls} calls of a program`, [program(calls)]],
    ["as many in eight processes", Array.from({ length: 8 }, () => program(Math.floor(calls / 8)))],
  ];
  for (const [what, processes] of cases) {
    const file = join(dir, "large.cpuprofile");
    writeFileSync(file, asFile(processes));
    await measure(page, url, file, what);
  }
} finally {
  await browser.close();
  await server.close();
  rmSync(dir, { recursive: true, force: true });
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { InspectorClient } from "./inspector-client.js";
import { inspectorFlags, ProcessStack } from "./process-stack.js";

let child: ChildProcess | undefined;

/** A process of this code, which says so when it runs. */
async function run(code: string): Promise<ChildProcess> {
  child = spawn(process.execPath, [...inspectorFlags, "-e", code], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.stdout) await once(child.stdout, "data");
  return child;
}

afterEach(async () => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
});

test("a process that never comes back to its event loop shows what it runs, again and again", async () => {
  const stack = new ProcessStack(
    await run("console.log(1); function spinning() { for (;;); } function outer() { spinning(); } outer()"),
  );
  for (let time = 0; time < 2; time++) {
    const { busy, frames } = await stack.read();
    expect(busy).toBe(true);
    expect(frames.slice(0, 2)).toEqual([
      expect.stringMatching(/^spinning \(.*:1:\d+\)$/),
      expect.stringMatching(/^outer \(/),
    ]);
  }
  expect(child?.exitCode).toBe(null);
});

test("STACK-2, STACK-5: one that waits is idle and goes on, and its inspector's name is secret", async () => {
  const process = await run("setInterval(() => undefined, 60_000); console.log(1)");
  let stderr = "";
  process.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const stack = new ProcessStack(process);
  for (let time = 0; time < 2; time++) {
    expect(await stack.read()).toEqual({ busy: false, method: "", frames: [] });
  }
  const [, port] = /ws:\/\/127\.0\.0\.1:(\d+)\//.exec(stderr) ?? [];
  expect((await fetch(`http://127.0.0.1:${port}/json/list`)).status).toBe(404);
  await expect(InspectorClient.connect(`ws://127.0.0.1:${port}/guessed`)).rejects.toThrow(
    "cannot be reached",
  );
  expect(process.exitCode).toBe(null);
});

test("STACK-1: a process goes on when its stack was read", async () => {
  const process = await run(
    "for (let n = 0; ; n++) if (n % 1e6 === 0) require('node:fs').writeSync(1, Date.now() + '\\n')",
  );
  expect((await new ProcessStack(process).read()).busy).toBe(true);
  const readAtMs = Date.now();
  let output = "";
  await new Promise<void>((resolve) => {
    process.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.split("\n").some((line) => Number(line) > readAtMs)) resolve();
    });
  });
});

test("STACK-6: questions that come together are answered one after the other", async () => {
  const stack = new ProcessStack(await run("setInterval(() => undefined, 60_000); console.log(1)"));
  const connect = vi.spyOn(InspectorClient, "connect");
  try {
    // No question was asked of the process before the one before it was answered.
    const asked = [1, 2, 3].map(() => stack.read().then(() => connect.mock.calls.length));
    expect(await Promise.all(asked)).toEqual([1, 2, 3]);
  } finally {
    connect.mockRestore();
  }
});

test("STACK-6: one that never comes back is profiled, and answers for its stack meanwhile", async () => {
  const stack = new ProcessStack(
    await run(
      "console.log(1); function spinning(n) { return n < 2 ? n : spinning(n - 1) + spinning(n - 2); } function outer() { for (;;) spinning(25); } outer()",
    ),
  );
  let isDone = false;
  const asked = stack.profile({ kind: "cpu", durationMs: 1_500 }).then((profile) => {
    isDone = true;
    return profile;
  });
  expect((await stack.read()).busy).toBe(true);
  expect(isDone).toBe(false);
  const { names, parents, functions, selfs } = await asked;
  const spinning = functions.findIndex((name) => names[name]?.startsWith("spinning ("));
  const total = selfs.reduce(
    (sum, self, at) => sum + (names[functions[at] ?? 0]?.startsWith("spinning (") ? self : 0),
    0,
  );
  expect(total).toBeGreaterThan(0);
  expect(names[functions[parents[spinning] ?? -1] ?? -1]).toMatch(/^outer \(/);
});

test("STACK-4: a process that would die of the signal is not sent it", async () => {
  child = spawn("sleep", ["600"], { stdio: ["ignore", "pipe", "pipe"] });
  await once(child, "spawn");
  await expect(new ProcessStack(child).read()).rejects.toThrow("still starting, or has ended");
  expect(child.signalCode).toBe(null);
});

test("one that handles the signal itself is told as such", async () => {
  const process = await run(
    "process.on('SIGUSR1', () => undefined); setInterval(() => undefined, 60_000); console.log(1)",
  );
  const stack = new ProcessStack(process, { openTimeoutMs: 100 });
  await expect(stack.read()).rejects.toThrow("handles SIGUSR1 itself");
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EngineProcess, freePort } from "./engine-process.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-engine-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const until = (look: () => unknown) =>
  vi.waitFor(() => expect(look()).toBeTruthy(), { timeout: 60_000, interval: 20 });
const alive = (pid: number) => {
  try {
    // A zombie is dead: nobody has read its end yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

/** A server that has a process of its own, as vLLM's has. */
const server = (pids: string) => `
const { spawn } = require("node:child_process");
const inner = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
require("node:fs").writeFileSync(${JSON.stringify(pids)}, process.pid + " " + inner.pid);
console.log("listening");
setInterval(() => {}, 1000);
`;
const pidsIn = (file: string) => readFileSync(file, "utf8").split(" ").map(Number);

it("ends with what it has started, and its log says what it said", async () => {
  const pids = join(folder, "pids");
  const logFile = join(folder, "log");
  const engine = new EngineProcess({
    command: process.execPath,
    arguments: ["-e", server(pids)],
    environment: process.env,
    logFile,
  });
  await until(() => existsSync(logFile) && engine.said === "listening");
  const [outer = 0, inner = 0] = pidsIn(pids);
  expect(engine.running).toBe(true);
  await engine.stop();
  expect(engine.running).toBe(false);
  await until(() => !alive(outer) && !alive(inner));
});

it("says that a program is not there", async () => {
  const logFile = join(folder, "log");
  const engine = new EngineProcess({
    command: "no-such-server",
    arguments: [],
    environment: process.env,
    logFile,
  });
  await until(() => !engine.running);
  expect(engine.said).toMatch(/no-such-server ENOENT/);
  await engine.stop();
});

it("ENGINE-1: ends when its actor's process is killed", async () => {
  const pids = join(folder, "pids");
  // What the actor does, in a process that can be killed.
  const actor = spawn(process.execPath, [
    "-e",
    `const { spawn } = require("node:child_process");
     spawn(process.execPath, ["-e", ${JSON.stringify(EngineProcess.guard)}, "1000", process.execPath, "-e", ${JSON.stringify(server(pids))}], { stdio: ["pipe", "ignore", "ignore"], detached: true });`,
  ]);
  await until(() => existsSync(pids) && readFileSync(pids, "utf8").includes(" "));
  const [outer = 0, inner = 0] = pidsIn(pids);
  expect(alive(outer)).toBe(true);
  actor.kill("SIGKILL");
  await once(actor, "exit");
  await until(() => !alive(outer) && !alive(inner));
});

it("finds a port that nobody listens on", async () => {
  expect(await freePort()).toBeGreaterThan(1023);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { engineGuard } from "./engine-guard.js";
import { earlierLog } from "./engine-log.js";
import { EngineProcess, runToEnd } from "./engine-process.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const until = (look: () => unknown) =>
  vi.waitFor(() => expect(look()).toBeTruthy(), { timeout: 600_000, interval: 20 });
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

it("keeps the newest of what a server prints without end, and shows the last of it", async () => {
  const logFile = join(folder, "log");
  const logBytes = 2 ** 20;
  const flood = `
    const line = "x".repeat(1023) + "\\n";
    let left = 8 * 1024;
    const more = () => {
      while (left-- > 0) if (!process.stdout.write(line)) return process.stdout.once("drain", more);
      process.stdout.write("the end");
    };
    more();
    setInterval(() => {}, 1000);`;
  const engine = new EngineProcess({
    command: process.execPath,
    arguments: ["-e", flood],
    environment: process.env,
    logFile,
    logBytes,
  });
  await until(() => engine.said.endsWith("the end"));
  expect(engine.said).toHaveLength(2_000);
  expect(statSync(logFile).size).toBeLessThanOrEqual(logBytes);
  expect(statSync(earlierLog(logFile)).size).toBeLessThanOrEqual(logBytes);
  await engine.stop();
});

it("tells how a program ended, and kills what it has left", async () => {
  const pids = join(folder, "pids");
  const engine = new EngineProcess({
    command: process.execPath,
    arguments: ["-e", `${server(pids)}; process.exit(3);`],
    environment: process.env,
    logFile: join(folder, "log"),
  });
  expect(await engine.ended).toBe(3);
  expect(engine.running).toBe(false);
  const [, inner = 0] = pidsIn(pids);
  await until(() => !alive(inner));
});

describe("what prepares a file", () => {
  const program = (source: string) => ({
    command: process.execPath,
    arguments: ["-e", source],
    environment: process.env,
    logFile: join(folder, "log"),
  });
  const living = new AbortController().signal;

  it("is waited for, and its error says what it printed", async () => {
    const options = { timeoutMs: 600_000, signal: living };
    await runToEnd(program("console.log('made')"), options);
    await expect(
      runToEnd(program("console.error('no such model'); process.exit(2)"), options),
    ).rejects.toThrow(/UNREACHABLE.*prepare: \S+ failed: no such model/);
    await expect(runToEnd(program("process.exit(2)"), options)).rejects.toThrow(
      /exit code 2.*printed nothing/,
    );
  });

  it("ends with the run, and after its time", async () => {
    const pids = join(folder, "pids");
    const controller = new AbortController();
    const running = runToEnd(program(server(pids)), { timeoutMs: 600_000, signal: controller.signal });
    const aborted = expect(running).rejects.toThrow("enough");
    await until(() => existsSync(pids) && readFileSync(pids, "utf8").includes(" "));
    controller.abort(new Error("enough"));
    await aborted;
    const [outer = 0, inner = 0] = pidsIn(pids);
    await until(() => !alive(outer) && !alive(inner));
    await expect(runToEnd(program(server(pids)), { timeoutMs: 1, signal: living })).rejects.toThrow(
      /did not end within startTimeoutMs 1/,
    );
  });
});

it("ENGINE-1: ends when its actor's process is killed", async () => {
  const pids = join(folder, "pids");
  // What the actor does, in a process that can be killed.
  const actor = spawn(process.execPath, [
    "-e",
    `const { spawn } = require("node:child_process");
     spawn(process.execPath, ["-e", ${JSON.stringify(engineGuard)}, "1000", ${JSON.stringify(join(folder, "log"))}, "1000000", process.execPath, "-e", ${JSON.stringify(server(pids))}], { stdio: ["pipe", "ignore", "ignore"], detached: true });`,
  ]);
  await until(() => existsSync(pids) && readFileSync(pids, "utf8").includes(" "));
  const [outer = 0, inner = 0] = pidsIn(pids);
  expect(alive(outer)).toBe(true);
  actor.kill("SIGKILL");
  await once(actor, "exit");
  await until(() => !alive(outer) && !alive(inner));
});

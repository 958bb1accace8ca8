import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { lockFolder } from "./folder-lock.js";

const name = "test.lock";

/** @returns the release of the lock; undefined if another one holds it */
async function lock(folder: string): Promise<(() => Promise<void>) | undefined> {
  const taken = await lockFolder(folder, name, (reason) => expect.unreachable(String(reason)));
  return "release" in taken ? taken.release : undefined;
}

async function locked(folder: string): Promise<() => Promise<void>> {
  const release = await lock(folder);
  if (release === undefined) throw new Error("another one holds the lock");
  return release;
}

test("a folder is locked until its process releases it (PROCESSLOCK-1)", async () => {
  const folder = join(testFolder(), "x".repeat(150));
  mkdirSync(folder);
  const unlock = await locked(folder);
  expect(await lockFolder(folder, name, (reason) => expect.unreachable(String(reason)))).toEqual({
    heldBy: process.pid,
  });
  await unlock();
  await (await locked(folder))();
});

test.each([true, false])(
  "of processes that start at once one gets the folder, after a killed one: %s (PROCESSLOCK-1)",
  async (afterKilled) => {
    const folder = testFolder();
    if (afterKilled) await leaveDeadSocket(folder);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => lock(folder)));
    const [unlock, ...others] = outcomes.flatMap((one) => one ?? []);
    expect(others).toEqual([]);
    // The end of the others, whose sockets are gone, leaves that of the winner.
    expect(await lock(folder)).toBeUndefined();
    await unlock?.();
    expect(readdirSync(folder)).toEqual([]);
    await (await locked(folder))();
  },
);

/** Leaves the socket of a process that was killed. */
async function leaveDeadSocket(folder: string): Promise<void> {
  const script = `require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
  const child = spawn(process.execPath, ["-e", script, join(folder, name)]);
  await new Promise((resolve) => child.once("exit", resolve));
  expect(existsSync(join(folder, name))).toBe(true);
}

test("the lock of a killed process and that in a copy of the folder hold nobody off (PROCESSLOCK-2)", async () => {
  const folder = testFolder();
  await leaveDeadSocket(folder);
  const unlock = await locked(folder);
  const copy = join(testFolder(), "copy");
  execFileSync("cp", ["-a", folder, copy]);
  await (await locked(copy))();
  await unlock();
});

test("a process in other namespaces of processes and network sees the lock", async (context) => {
  const folder = testFolder();
  const unshare = ["unshare", "--map-root-user", "--pid", "--net", "--fork"];
  try {
    execFileSync("unshare", [...unshare.slice(1), "true"], { stdio: "ignore" });
  } catch {
    context.skip("namespaces cannot be made here");
  }
  const unlock = await locked(folder);
  onTestFinished(unlock);
  const script = `
    const socket = require("node:net").connect(process.argv[1]);
    socket.on("connect", () => { console.log("alive"); process.exit(); });
    socket.on("error", (error) => { console.log(error.code); process.exit(); });`;
  const [program = "", ...args] = [...unshare, process.execPath, "-e", script, join(folder, "test.lock")];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (text: Buffer) => {
    said += String(text);
  });
  await new Promise((resolve) => child.once("close", resolve));
  expect(said.trim()).toBe("alive");
});

test("modules behind links are found while and after a folder is locked (PROCESSLOCK-3)", async () => {
  const folder = testFolder();
  const packages = ["before", "during", "after"];
  mkdirSync(join(folder, "node_modules"));
  for (const name of packages) {
    mkdirSync(join(folder, "real", name), { recursive: true });
    writeFileSync(join(folder, "real", name, "index.js"), "");
    symlinkSync(join(folder, "real", name), join(folder, "node_modules", name));
  }
  const { resolve } = createRequire(join(folder, "program.js"));
  const real = (name: string) => join(folder, "real", name, "index.js");
  // What was resolved once is known, and the resolution of its neighbors begins there.
  expect(resolve("before")).toBe(real("before"));
  const unlock = await locked(folder);
  expect(resolve("during")).toBe(real("during"));
  await unlock();
  expect(resolve("after")).toBe(real("after"));
});

test("a folder whose volume holds no sockets counts as taken, and the reason is told", async () => {
  const folder = testFolder();
  mkdirSync(join(folder, name));
  const reasons: unknown[] = [];
  expect(await lockFolder(folder, name, (reason) => reasons.push(reason))).toHaveProperty("release");
  expect(reasons).toHaveLength(1);
});

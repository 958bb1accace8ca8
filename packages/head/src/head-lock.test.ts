import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createLogger } from "@palimpsest/telemetry";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../test/support/temporary-folder.js";
import { lockFolder } from "./head-lock.js";

const logger = createLogger({ component: "test", level: "error" });
const lock = (folder: string) => lockFolder(folder, "", logger);

test("a folder is locked until its head releases it (HEADLOCK-1)", async () => {
  const folder = join(testFolder(), "x".repeat(150));
  mkdirSync(folder);
  const unlock = await lock(folder);
  await expect(lock(folder)).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
  await unlock();
  await (await lock(folder))();
});

test("of heads that start at once at most one gets the folder (HEADLOCK-1)", async () => {
  const folder = testFolder();
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => lock(folder)));
  const locks = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(locks.length).toBeLessThanOrEqual(1);
  for (const unlock of locks) await unlock();
});

test("the lock of a killed head and that in a copy of the folder hold nobody off (HEADLOCK-2)", async () => {
  const folder = testFolder();
  const script = `require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
  const child = spawn(process.execPath, ["-e", script, join(folder, "head.lock")]);
  await new Promise((resolve) => child.once("exit", resolve));
  expect(existsSync(join(folder, "head.lock"))).toBe(true);
  const unlock = await lock(folder);
  const copy = join(testFolder(), "copy");
  execFileSync("cp", ["-a", folder, copy]);
  await (await lock(copy))();
  await unlock();
});

test("a head in other namespaces of processes and network sees the lock", async (context) => {
  const folder = testFolder();
  const unshare = ["unshare", "--map-root-user", "--pid", "--net", "--fork"];
  try {
    execFileSync("unshare", [...unshare.slice(1), "true"], { stdio: "ignore" });
  } catch {
    context.skip("namespaces cannot be made here");
  }
  const unlock = await lock(folder);
  onTestFinished(unlock);
  const script = `
    const socket = require("node:net").connect(process.argv[1]);
    socket.on("connect", () => { console.log("alive"); process.exit(); });
    socket.on("error", (error) => { console.log(error.code); process.exit(); });`;
  const [program = "", ...args] = [...unshare, process.execPath, "-e", script, join(folder, "head.lock")];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (text: Buffer) => {
    said += String(text);
  });
  await new Promise((resolve) => child.once("close", resolve));
  expect(said.trim()).toBe("alive");
});

test("modules behind links are found while and after a folder is locked (HEADLOCK-3)", async () => {
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
  const unlock = await lock(folder);
  expect(resolve("during")).toBe(real("during"));
  await unlock();
  expect(resolve("after")).toBe(real("after"));
});

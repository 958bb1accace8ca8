import { existsSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { isProcessAlive } from "@palimpsest/std";
import * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeHead } from "../testing/fake-head.js";
import { startNode, type TestNode } from "../testing/fixture.js";

let head: FakeHead;
let node: TestNode;

beforeEach(async () => {
  head = await FakeHead.start();
  node = await startNode(head, {
    driverCommand: ["-e", "console.log(JSON.stringify(process.argv.slice(1)))"],
  });
});

afterEach(async () => {
  await node[Symbol.asyncDispose]();
  head.kill();
});

function program(
  source: string,
  options: { readonly argv?: readonly string[]; readonly jobId?: string; readonly workingDir?: string } = {},
): void {
  const bundle = head.addBundle(Buffer.from(source));
  head.send({
    startDriver: {
      jobId: options.jobId ?? "job-1",
      bundle,
      argv: ["program", ...(options.argv ?? [])],
      environment: { FLAVOUR: "vanilla", CUDA_VISIBLE_DEVICES: "0" },
      workingDir: options.workingDir ?? "",
      resources: { quantities: { cpu: 0.5 } },
    },
  });
}

describe("drivers", () => {
  test("run with their arguments and environment, and their end tells the size of all their output (DRIVER-2)", async () => {
    program(
      `console.log(process.argv.slice(2).join("+"), process.env.FLAVOUR, process.env.PALIMPSEST_JOB_ID,
         process.env.PALIMPSEST_ADDRESS, typeof process.env.PALIMPSEST_TOKEN_FILE, JSON.stringify(process.env.CUDA_VISIBLE_DEVICES)); process.stdout.write("no line end"); process.exitCode = 3;`,
      { argv: ["one", "two words"] },
    );
    const started = await head.next("driverStarted");
    const exited = await head.next("driverExited");
    expect(exited.certificate).toMatchObject({ exitCode: 3, pid: started.pid, nodeId: node.manager.nodeId });
    const expected = `one+two words vanilla job-1 ${head.address} string ""\nno line end`;
    expect(exited.outputBytes).toBe(Buffer.byteLength(expected));
    expect(await head.logUntil((text) => text.length >= expected.length)).toBe(expected);
  });

  test("of a recipe run the palimpsest command with the recipe's file and the arguments", async () => {
    const bundle = head.addBundle(Buffer.from("agent: memagent\n"));
    head.send({ startDriver: { jobId: "job-1", bundle, argv: ["recipe", "--seed", "7"] } });
    const exited = await head.next("driverExited");
    expect(exited.certificate?.exitCode).toBe(0);
    expect(JSON.parse(await head.logUntil((text) => text.endsWith("\n")))).toEqual([
      "train",
      expect.stringMatching(/\.yaml$/),
      "--seed",
      "7",
    ]);
  });

  test("send whole lines, and characters are never cut", async () => {
    program(`
      const bytes = Buffer.from("Schlüßel — ✓\\n");
      for (const byte of bytes) { process.stdout.write(Buffer.from([byte])); await new Promise((r) => setImmediate(r)); }
    `);
    expect(await head.logUntil((text) => text.endsWith("\n"))).toBe("Schlüßel — ✓\n");
    for (const { data } of head.outputs) expect(Buffer.from(data ?? []).toString()).toMatch(/\n$/);
  });

  test("say where they failed, in the user's own words", async () => {
    program(`throw new Error("the driver is broken");`);
    const exited = await head.next("driverExited");
    expect(exited.certificate).toMatchObject({ exitCode: 1, reason: "its process exited with code 1" });
    expect(exited.certificate?.lastStderrLines?.join("\n")).toContain("the driver is broken");
  });

  test("start once, however often they are ordered (DRIVER-1)", async () => {
    program(`console.log("once")`);
    program(`console.log("once")`);
    await head.next("driverExited");
    program(`console.log("once")`);
    program(`console.log("other")`, { jobId: "job-2" });
    await head.next("driverExited", (message) => message.jobId === "job-2");
    expect(head.messages.filter((message) => message.driverStarted?.jobId === "job-1")).toHaveLength(1);
  });

  test("are stopped by SIGTERM, and by SIGKILL when they do not listen", async () => {
    program(
      `process.on("SIGTERM", () => console.log("no")); console.log("up"); setInterval(() => {}, 1000);`,
    );
    await head.logUntil((text) => text === "up\n");
    // Time enough for a busy machine to let it hear the first signal.
    head.send({ stopDriver: { jobId: "job-1", graceMs: 2_000 } });
    const exited = await head.next("driverExited");
    expect(exited.certificate).toMatchObject({ signal: "SIGKILL", reason: "its job was stopped" });
    expect(await head.logUntil((text) => text.length > 3)).toBe("up\nno\n");
  });

  test("keep what the head has not acknowledged, and send it to a head that comes back (DRIVER-LOG-2, DRIVER-3)", async () => {
    head.acknowledges = false;
    program(`console.log("first"); console.log("second");`);
    await head.next("driverExited");
    await head.logUntil((text) => text.endsWith("second\n"));
    const port = Number(head.address.split(":")[1]);
    head.kill();
    head = await FakeHead.start(port);
    expect(await head.logUntil((text) => text.endsWith("second\n"))).toBe("first\nsecond\n");
    await head.next("heartbeat");
    const kinds = head.messages.map((message) => message.message);
    expect(kinds[0]).toBe("register");
    expect(kinds.indexOf("driverExited")).toBeLessThan(kinds.indexOf("heartbeat"));
    expect(head.messages[0]?.register?.drivers).toEqual([]);
  });

  test("wait in their writes above the bound while the head keeps no output, and lose none (DRIVER-LOG-3)", async () => {
    head.acknowledges = false;
    const megabytes = 12;
    program(`
      import { writeSync } from "node:fs";
      const line = ("x".repeat(1023) + "\\n").repeat(64);
      for (let index = 0; index < ${megabytes} * 16; index++) {
        for (let left = line; left !== ""; ) {
          try { left = left.slice(writeSync(1, left)); } catch { await new Promise((r) => setTimeout(r, 1)); }
        }
      }
    `);
    const sizeBytes = () => head.outputs.reduce((sum, { data }) => sum + (data?.byteLength ?? 0), 0);
    while (sizeBytes() < 8 * 1024 * 1024) await head.changed();
    // A heartbeat later nothing more has come than the bound and what pipes and streams hold.
    const beats = head.messages.length;
    while (head.messages.length < beats + 4) await head.changed();
    expect(sizeBytes()).toBeLessThan(10 * 1024 * 1024);
    expect(head.messages.some((message) => message.driverExited)).toBe(false);
    const port = Number(head.address.split(":")[1]);
    head.kill();
    head = await FakeHead.start(port);
    const exited = await head.next("driverExited");
    expect(exited.outputBytes).toBe(megabytes * 1024 * 1024);
    while (sizeBytes() < megabytes * 1024 * 1024) await head.changed();
  });

  test("a stop that comes before its start keeps the driver from starting (DRIVER-1)", async () => {
    head.send({ stopDriver: { jobId: "job-1", graceMs: 200 } });
    program(`console.log("never")`);
    const exited = await head.next("driverExited");
    expect(exited).toMatchObject({ certificate: { reason: "its job was stopped" }, outputBytes: 0 });
    expect(head.messages.some((message) => message.driverStarted)).toBe(false);
  });

  test("a stop does not wait for the bundle of a head that is away", async () => {
    head.servesBundles = false;
    const asked = new Promise<void>((resolve) => {
      head.onGetBundle = resolve;
    });
    program(`console.log("never")`);
    await asked;
    head.send({ stopDriver: { jobId: "job-1", graceMs: 200 } });
    expect((await head.next("driverExited")).certificate?.reason).toBe("its job was stopped");
  });

  test("run in their own copy of the folder that was sent, which goes with them", async () => {
    const files = [{ path: "data/words.txt", data: Buffer.from("from the folder") }];
    const workingDir = head.addBundle(gzipSync(proto.WorkingDirectory.encode({ files }).finish()));
    program(
      `import { readFileSync } from "node:fs"; console.log(readFileSync("data/words.txt", "utf8"), process.cwd());`,
      { workingDir },
    );
    const text = await head.logUntil((log) => log.endsWith("\n"));
    const cwd = text.slice("from the folder ".length).trim();
    expect(cwd).toBe(join(node.dataDir, "work", "jobs", "job-1"));
    await head.next("driverExited");
    expect(existsSync(cwd)).toBe(false);
  });

  test("go on while the head is away (NODEMANAGER-2)", async () => {
    program(`console.log("up"); setTimeout(() => console.log("still"), 300); setTimeout(() => {}, 60_000);`);
    const { pid } = await head.next("driverStarted");
    await head.logUntil((text) => text === "up\n");
    const port = Number(head.address.split(":")[1]);
    head.kill();
    head = await FakeHead.start(port);
    expect((await head.next("register")).drivers).toMatchObject([
      { jobId: "job-1", resources: { quantities: { cpu: 0.5 } }, gpuIds: [] },
    ]);
    await head.logUntil((text) => text.includes("still\n"));
    expect(isProcessAlive(pid ?? 0)).toBe(true);
    await node.manager.close();
    expect(isProcessAlive(pid ?? 0)).toBe(false);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeHead } from "./testing/fake-head.js";
import { isRunning, startNode, type TestNode } from "./testing/fixture.js";

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
  options: { readonly argv?: readonly string[]; readonly jobId?: string } = {},
): void {
  const bundle = head.addBundle(Buffer.from(source));
  head.send({
    startDriver: {
      jobId: options.jobId ?? "job-1",
      bundle,
      argv: ["program", ...(options.argv ?? [])],
      environment: { FLAVOUR: "vanilla" },
    },
  });
}

/** The text that the head would have in its file: parts in their places. */
function logText(): string {
  const parts = head.messages.flatMap((message) => message.driverOutput ?? []);
  const size = Math.max(
    0,
    ...parts.map((part) => (part.offsetBytes ?? 0) + Buffer.byteLength(part.text ?? "")),
  );
  const bytes = Buffer.alloc(size, "?");
  for (const part of parts) bytes.write(part.text ?? "", part.offsetBytes ?? 0);
  return bytes.toString();
}

describe("drivers", () => {
  test("run with their arguments and environment, and their end comes after all their output (V2)", async () => {
    program(
      `console.log(process.argv.slice(2).join("+"), process.env.FLAVOUR, process.env.PALIMPSEST_JOB_ID,
         process.env.PALIMPSEST_ADDRESS, process.env.PALIMPSEST_TOKEN.length); process.stdout.write("no line end"); process.exitCode = 3;`,
      { argv: ["one", "two words"] },
    );
    const started = await head.next("driverStarted");
    const exited = await head.next("driverExited");
    expect(exited.certificate).toMatchObject({ exitCode: 3, pid: started.pid, nodeId: node.manager.nodeId });
    expect(logText()).toBe(`one+two words vanilla job-1 ${head.address} ${head.token.length}\nno line end\n`);
    const kinds = head.messages.map((message) => message.message);
    expect(kinds.lastIndexOf("driverOutput")).toBeLessThan(kinds.indexOf("driverExited"));
  });

  test("of a recipe run the palimpsest command with the recipe's file and the arguments", async () => {
    const bundle = head.addBundle(Buffer.from("agent: memagent\n"));
    head.send({ startDriver: { jobId: "job-1", bundle, argv: ["recipe", "--seed", "7"] } });
    const exited = await head.next("driverExited");
    expect(exited.certificate?.exitCode).toBe(0);
    expect(JSON.parse(logText())).toEqual(["train", expect.stringMatching(/\.yaml$/), "--seed", "7"]);
  });

  test("send whole lines, and characters are never cut", async () => {
    program(`
      const bytes = Buffer.from("Schlüßel — ✓\\n");
      for (const byte of bytes) { process.stdout.write(Buffer.from([byte])); await new Promise((r) => setImmediate(r)); }
    `);
    await head.next("driverExited");
    expect(logText()).toBe("Schlüßel — ✓\n");
    for (const { driverOutput } of head.messages) if (driverOutput) expect(driverOutput.text).toMatch(/\n$/);
  });

  test("say where they failed, in the user's own words", async () => {
    program(`throw new Error("the driver is broken");`);
    const exited = await head.next("driverExited");
    expect(exited.certificate).toMatchObject({ exitCode: 1, reason: "its process exited with code 1" });
    expect(exited.certificate?.lastStderrLines?.join("\n")).toContain("the driver is broken");
  });

  test("start once, however often they are ordered (V1)", async () => {
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
    await head.next("driverOutput");
    head.send({ stopDriver: { jobId: "job-1", graceMs: 200 } });
    const exited = await head.next("driverExited");
    expect(exited.certificate).toMatchObject({ signal: "SIGKILL", reason: "its job was stopped" });
    expect(logText()).toBe("up\nno\n");
  });

  test("keep what the head has not acknowledged, and send it again to a head that comes back (D2, V3)", async () => {
    program(`console.log("first"); console.log("second");`);
    await head.next("driverExited");
    const parts = head.messages.flatMap((message) => message.driverOutput ?? []);
    const firstEnd = Buffer.byteLength("first\n");
    if (parts.length > 1) head.send({ driverOutputAck: { jobId: "job-1", offsetBytes: firstEnd } });
    const port = Number(head.address.split(":")[1]);
    head.kill();
    head = await FakeHead.start(port);
    await head.next("heartbeat");
    const kinds = head.messages.map((message) => message.message);
    expect(kinds[0]).toBe("register");
    expect(kinds.indexOf("driverExited")).toBeLessThan(kinds.indexOf("heartbeat"));
    expect(logText()).toContain("second\n");
    expect(head.messages[0]?.register?.jobIds).toEqual([]);
  });

  test("go on while the head is away (Z2)", async () => {
    program(`console.log("up"); setTimeout(() => console.log("still"), 300); setTimeout(() => {}, 60_000);`);
    const { pid } = await head.next("driverStarted");
    await head.next("driverOutput");
    const port = Number(head.address.split(":")[1]);
    head.kill();
    head = await FakeHead.start(port);
    expect((await head.next("register")).jobIds).toEqual(["job-1"]);
    await head.next("driverOutput", (message) => message.text?.includes("still") === true);
    expect(logText()).toBe("up\nstill\n");
    expect(isRunning(pid ?? 0)).toBe(true);
    await node.manager.close();
    expect(isRunning(pid ?? 0)).toBe(false);
  });
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { WorkerProcess } from "./worker-process.js";

/** What each program begins with: the channel to its node, and the message that it is loaded. */
const channel = `
  import { Socket } from "node:net";
  const channel = new Socket({ fd: 3 });
  const loaded = Buffer.from([2, 0, 0, 0, 26, 0]);
`;

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

test("what a process wrote while it waited is in the file of its actor (WORKERPROCESS-1)", async () => {
  const program = join(folder, "program.mjs");
  const text = `
    ${channel}
    channel.on("data", () => { process.stderr.write("late\\n", () => process.exit(0)); });
    process.stderr.write("early\\n", () => channel.write(loaded));
  `;
  await writeFile(program, text);
  const worker = WorkerProcess.spawn({ program: { path: program, flags: [] }, environment: {} });
  const path = join(folder, "actor.log");
  await worker.loaded;
  worker.assign(path, () => undefined);
  worker.order({ start: { incarnation: 1 } });
  const end = await worker.process.ended;
  worker.closeOutput();
  expect(end.lastStderrLines.at(-1)).toBe("late");
  await expect.poll(() => readFile(path, "utf8")).toBe("early\nlate\n");
});

test("a process that does not start from its snapshot is the last that tries", async () => {
  const path = join(folder, "program.mjs");
  await writeFile(path, `${channel} channel.write(loaded);`);
  const program = { path, flags: [], snapshot: join(folder, "program.blob") };
  const spawn = () => WorkerProcess.spawn({ program, environment: {} });
  const endOf = async (worker: WorkerProcess) => {
    await Promise.race([worker.loaded, worker.process.ended]);
    await worker.process.stop(0, "the test has seen it");
    return worker.isLoaded;
  };
  expect(await endOf(spawn()), "without the file").toBe(true);
  await writeFile(program.snapshot, "no snapshot");
  expect(await endOf(spawn())).toBe(false);
  expect(await endOf(spawn())).toBe(true);
});

const misbehavior = {
  "a text, which no message begins with": "channel.write('ready');",
  "a message that cannot be decoded": "channel.write(Buffer.from([3, 0, 0, 0, 10, 200, 1]));",
  "a text in a message that is not UTF-8":
    "channel.write(Buffer.from([6, 0, 0, 0, 42, 4, 10, 2, 0xed, 0xa0]));",
  "the end of the channel": "channel.end(); setInterval(() => undefined, 1e6);",
};
test.each(Object.entries(misbehavior))(
  "a process that sends %s is killed, and its end says why (WORKERPROCESS-2)",
  async (_, code) => {
    const path = join(folder, "program.mjs");
    await writeFile(path, `${channel} channel.resume(); ${code}`);
    const worker = WorkerProcess.spawn({ program: { path, flags: [] }, environment: {} });
    const heard: unknown[] = [];
    worker.assign(join(folder, "actor.log"), (event) => heard.push(event));
    const end = await worker.process.ended;
    worker.closeOutput();
    expect(end.signal).toBe("SIGKILL");
    expect(worker.process.stopReason).toMatch(/its channel to its node, which is file descriptor 3/);
    expect(heard).toEqual([]);
  },
);

test("user code has no channel of Node.js to its node", async () => {
  const path = join(folder, "program.mjs");
  await writeFile(path, "console.error(typeof process.send, process.connected);");
  const worker = WorkerProcess.spawn({ program: { path, flags: [] }, environment: {} });
  expect((await worker.process.ended).lastStderrLines).toEqual(["undefined undefined"]);
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../test/support/temporary-folder.js";
import { WorkerProcess } from "./worker-process.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

test("what a process wrote while it waited is in the file of its actor (WORKERPROCESS-1)", async () => {
  const program = join(folder, "program.mjs");
  const text = `
    process.on("message", () => { process.stderr.write("late\\n", () => process.exit(0)); });
    process.stderr.write("early\\n", () => process.send(Buffer.from([26, 0])));
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
  await writeFile(path, "process.send(Buffer.from([26, 0]));");
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

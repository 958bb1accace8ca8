import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WorkerProcess } from "./worker-process.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-worker-process-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backgroundPriority } from "./background-priority.js";

const background = backgroundPriority();

test.skipIf(background === undefined)("every thread of a lowered process is restored", async () => {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-priority-"));
  const program = join(folder, "program.cjs");
  // The threads that read files are started while the priority is low.
  await writeFile(
    program,
    `process.on("message", () => require("node:fs").readFile(__filename, () => process.send("read")));`,
  );
  const child = fork(program);
  const pid = child.pid ?? 0;
  const priorities = async () => (await readdir(`/proc/${pid}/task`)).map((id) => getPriority(Number(id)));
  try {
    background?.lower(pid);
    child.send("read");
    await once(child, "message");
    const low = Math.min(19, getPriority() + 10);
    expect(getPriority(pid)).toBe(low);
    expect((await priorities()).filter((priority) => priority === low).length).toBeGreaterThan(1);
    background?.restore(pid);
    expect(new Set(await priorities())).toEqual(new Set([getPriority()]));
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
    await rm(folder, { recursive: true, force: true });
  }
});

test("a process that has ended is no problem", () => {
  background?.lower(2 ** 22 - 1);
  background?.restore(2 ** 22 - 1);
});

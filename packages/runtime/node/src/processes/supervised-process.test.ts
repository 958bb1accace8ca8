import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { endSentence, SupervisedProcess } from "./supervised-process.js";

test("the end of a process is told once, also after later stops of it (PROCESS-1)", async () => {
  const ended = new SupervisedProcess(spawn(process.execPath, ["-e", "process.exit(3)"], { detached: true }));
  const end = await ended.ended;
  expect(end).toMatchObject({ exitCode: 3, signal: "", spawnError: undefined });
  expect(await ended.stop(0, "too late")).toBe(end);
  expect(endSentence(end)).toBe("its process exited with code 3");
});

test("a process that could not be started has ended, without a rejection (PROCESS-1)", async () => {
  const never = new SupervisedProcess(spawn("/nowhere/program", [], { detached: true }));
  const end = await never.ended;
  expect(end.spawnError).toMatchObject({ code: "ENOENT" });
  expect([end.exitCode, end.signal, never.pid]).toEqual([undefined, "", 0]);
  expect(await never.stop(0, "too late")).toBe(end);
});

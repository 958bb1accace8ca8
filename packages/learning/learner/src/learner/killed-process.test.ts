import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { bundledProgram } from "../../../../../test/support/bundled-program.js";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { latestCheckpoint } from "../checkpoint/checkpoint.js";

let root = "";
beforeEach(() => {
  root = testFolder();
});

const program = bundledProgram(new URL("training-process.fixture.ts", import.meta.url));

/** A training process; see the fixture. */
function train(folder: string, versions: number): ChildProcess {
  const child = fork(program, [folder, String(versions)], {
    execArgv: [],
    env: { ...process.env, TF_CPP_MIN_LOG_LEVEL: "3" },
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

async function stateOf(folder: string): Promise<{ readonly state: Buffer; readonly manifest: unknown }> {
  const checkpoint = (await latestCheckpoint(folder)) ?? "";
  const manifest = JSON.parse(await readFile(join(checkpoint, "checkpoint.json"), "utf8")) as unknown;
  return { state: await readFile(join(checkpoint, "state.bin")), manifest };
}

it("2N updates are N, SIGKILL, and N more, byte for byte, with four optimizer steps an update (LEARNER-3, LEARNER-4, POLICYUPDATE-1)", async () => {
  const updates = 4;
  const straight = train(join(root, "straight"), updates);
  const ended = once(straight, "exit");
  const killed = train(join(root, "killed"), updates);
  const exited = once(killed, "exit");
  await new Promise<void>((resolve) => {
    killed.on("message", (version) => {
      if (version === updates / 2) resolve();
    });
  });
  killed.kill("SIGKILL");
  expect((await exited)[1]).toBe("SIGKILL");
  const [again] = (await once(train(join(root, "killed"), updates), "exit")) as [number];
  expect(again).toBe(0);

  expect((await ended)[0]).toBe(0);
  const wanted = await stateOf(join(root, "straight"));
  const got = await stateOf(join(root, "killed"));
  expect(wanted.manifest).toMatchObject({ policyVersion: updates, step: updates * 4 });
  expect(got.manifest).toEqual(wanted.manifest);
  expect(got.state.equals(wanted.state)).toBe(true);
});

import type { Cluster } from "@palimpsest/client";
import { expect, test } from "vitest";
import type { Member } from "./upgrade-plan.js";
import { UpgradeRun } from "./upgrade-run.js";

const protocols = { min: 1, max: 2 };
const standby: Member = {
  ...{ kind: "standby", id: "one:7379", host: "one", version: "0.1.0", protocols },
  ...{ step: 1, note: "" },
};

const run = (restartCommand: string, waitMs: number, signal = new AbortController().signal) =>
  new UpgradeRun(
    { heads: async () => [] } as unknown as Cluster,
    { version: "0.2.0", protocols, rowVersion: 2 },
    { restartCommand, deadlineMs: 1_000, waitMs, signal, onNote: () => undefined },
  ).replace(standby);

test("a command that restarts a process is told when it fails, with what it wrote", async () => {
  await expect(run("echo no such unit >&2; exit 5", 60_000)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    rawMessage: expect.stringMatching(/ended with code 5: no such unit$/),
  });
});

test("a command that hangs is ended with its processes after --wait, and at once where the upgrade is stopped", async () => {
  await expect(run("sleep 1000 & wait", 100)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    rawMessage: expect.stringMatching(/ended with SIGTERM .*\(--wait\)/),
  });
  const stopped = new AbortController();
  const running = run("sleep 1000 & wait", 600_000, stopped.signal);
  stopped.abort(new Error("stopped by the test"));
  await expect(running).rejects.toThrow("stopped by the test");
});

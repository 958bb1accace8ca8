import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addDashboard } from "./dashboard.js";

const command = new CommandRun(addDashboard);
beforeEach(() => command.begin());
afterEach(() => command.end());

test("a folder that does not exist is named, and no server without a run is started", async () => {
  await expect(command.run("dashboard", "runs/quickstart-*")).rejects.toThrow(
    "runs/quickstart-*: does not exist; give folders of runs",
  );
});

test("a folder's pages are served behind a link that signs in", async () => {
  const program = fileURLToPath(new URL("../../../bin/palimpsest.js", import.meta.url));
  const child = spawn(process.execPath, [program, "dashboard", testFolder()]);
  onTestFinished(() => void child.kill());
  let told = "";
  let warned = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    warned += text;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  while (!told.includes("\n")) await once(child.stdout, "data");
  const [, address, token = ""] = /^dashboard {2}(http:\S+)#\/sign-in\?token=(\S+)\n/.exec(told) ?? [];
  const listed = await fetch(`${address}api/runs`, { headers: { authorization: `Bearer ${token}` } });
  expect(listed.status).toBe(200);
  expect((await fetch(`${address}api/runs`)).status).toBe(401);
  while (!warned.includes("\n")) await once(child.stderr, "data");
  expect(warned).toMatch(/^no run is in .* yet: give folders of runs/);
});

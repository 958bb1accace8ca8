import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { stoppedRun } from "./stopped-run.js";

const folder = fileFolder();

test("a stopped run names the folder that resumes it, once there is one", () => {
  const reason = new Error("stopped by SIGINT");
  expect(stoppedRun(reason, folder).rawMessage).toBe("the run was stopped by SIGINT");
  writeFileSync(join(folder, "run.json"), "{}");
  expect(stoppedRun(reason, folder).rawMessage).toBe(
    `the run was stopped by SIGINT; the same command with --run-dir ${folder} resumes it`,
  );
});

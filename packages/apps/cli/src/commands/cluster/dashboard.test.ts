import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandRun } from "../testing.js";
import { addDashboard } from "./dashboard.js";

const command = new CommandRun(addDashboard);
beforeEach(() => command.begin());
afterEach(() => command.end());

test("a folder that does not exist is named, and no server without a run is started", async () => {
  await expect(command.run("dashboard", "runs/quickstart-*")).rejects.toThrow(
    "runs/quickstart-*: is not a folder; give folders of runs",
  );
});

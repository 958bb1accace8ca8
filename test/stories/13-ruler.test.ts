/** Tests RULER on a served model: tasks are generated, asked, scored and reported by length. */
import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Command } from "../support/command.js";
import { testFolder } from "../support/temporary-folder.js";
import { answerChat, startChatServer, stopServer } from "./chat-server.js";

let folder: string;
let server: Server;

/** Reads the hidden number of the requested key from its prompt: from the text or from its own notes. */
function reply(prompt: string): string {
  const key = /hidden number of (\S+) that the text gives/.exec(prompt)?.[1];
  const found =
    new RegExp(`A hidden number of ${key} is (\\d+)`).exec(prompt) ?? /noted (\d{7})/.exec(prompt);
  return found ? `noted ${found[1]}` : "nothing yet";
}

beforeEach(async () => {
  folder = testFolder();
  server = await startChatServer((body, response) => answerChat(response, reply(body)));
});

afterEach(() => stopServer(server));

test("eval ruler reports each task by length, an agent beside one that is shown nothing", async () => {
  const { port } = server.address() as AddressInfo;
  const command = Command.start(
    [
      ...["eval", "ruler", "--endpoint", `http://127.0.0.1:${port}`, "--model", "test-model"],
      ...["--tasks", "niah_single_1", "vt", "--lengths", "1024,4096", "--count", "3"],
      ...["--systems", "memagent,closed-book", "--set", "memagent.chunkTokens=700", "--out", "out"],
    ],
    { cwd: folder, environment: {} },
  );
  const { code, stdout, stderr } = await command.ended;
  expect(stderr).toContain("wrote out/report.md");
  expect(code).toBe(0);
  expect(stdout).toContain("## Tasks by length");
  const report: unknown = JSON.parse(await readFile(join(folder, "out/report.json"), "utf8"));
  const cell = (system: string, task: string, length: number, score: number) =>
    expect.objectContaining({ system, task, length, score, n: 3 });
  expect(report).toMatchObject({
    sections: [
      {
        title: "Tasks by length",
        data: expect.arrayContaining([
          cell("memagent", "niah_single_1", 1024, 1),
          cell("memagent", "niah_single_1", 4096, 1),
          cell("memagent", "vt", 4096, 0),
          cell("closed-book", "niah_single_1", 1024, 0),
        ]),
      },
    ],
  });
  expect(await readFile(join(folder, "out/tasks-1.svg"), "utf8")).toContain(
    "memagent: RULER by category of task",
  );
});

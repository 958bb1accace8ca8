/** Tests that reading a long document continues where it was after the command was stopped, and after it was killed. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { proseWith, ReadingServer } from "../../packages/apps/cli/src/ask/testing.js";
import { Command } from "../support/command.js";
import { testFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.js";

let folder: string;
let server: ReadingServer;
let hangsFrom: number;
beforeEach(async () => {
  folder = testFolder();
  hangsFrom = Number.POSITIVE_INFINITY;
  server = await ReadingServer.start("harbour master", (request) => (request >= hangsFrom ? "hang" : "good"));
});
afterEach(() => server.stop());

test("reading goes on after Ctrl-C and after kill -9, and what was read is not read again", async () => {
  const document = join(folder, "long.txt");
  const facts = ["The harbour master was called Amos.", "Then the harbour master was called Berta."];
  await writeFile(document, proseWith(facts, 400_000));
  const state = join(folder, "place.json");
  const trace = join(folder, "trace.html");
  const question = "What was the harbour master called?";
  const begin = () =>
    Command.start(
      [
        ...["ask", document, "-q", question, "--endpoint", server.url, "--set", "chunkTokens=2500"],
        ...["--resume", state, "--trace", trace, "--json"],
      ],
      { cwd: folder, environment: {} },
    );

  hangsFrom = 8;
  const stopped = begin();
  await until("the ninth request", () => server.requests > 8);
  stopped.kill("SIGINT");
  const end = await stopped.ended;
  expect(end.code).toBe(130);
  expect(end.stdout).toBe("");
  expect(end.stderr).toMatch(
    /stopped after 20000 of \d+ tokens; the same command resumes from .*place\.json/,
  );

  hangsFrom = server.requests + 6;
  const killed = begin();
  await until("a request that hangs", () => server.requests > hangsFrom);
  expect(killed.output).toContain("resuming at token 20000");
  killed.kill("SIGKILL");
  await killed.ended;

  hangsFrom = Number.POSITIVE_INFINITY;
  const last = await begin().ended;
  expect(last.code).toBe(0);
  const report = JSON.parse(last.stdout);
  expect(report).toMatchObject({ boxed: "Berta", memory: facts.join("\n") });
  expect(report.resumedAtToken).toBeGreaterThanOrEqual(20_000);
  expect(existsSync(state)).toBe(false);
  const page = await readFile(trace, "utf8");
  const steps = Math.ceil(report.document.tokens / 2500);
  expect(page.split('class="card step"')).toHaveLength(1 + steps + 1);
  // Some of the killed run's six steps were not yet on the disk.
  expect(server.answered).toBeGreaterThan(steps);
  expect(server.answered).toBeLessThanOrEqual(steps + 1 + 6);
});

test("a program of ten lines does the same as a library, and sees the memory as it changes", async () => {
  const notes = join(folder, "notes.txt");
  await writeFile(notes, proseWith(["The harbour master was called Amos."], 50_000));
  const example = new URL("../../examples/agent/endpoint.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", example, server.url, notes, "What was the harbour master called?"],
    { cwd: new URL("../..", import.meta.url).pathname },
  );
  const lines = stdout.trim().split("\n");
  expect(lines.slice(-2)).toEqual([
    "memory: The harbour master was called Amos.",
    "answer: The answer is \\boxed{Amos}.",
  ]);
  expect(lines.filter((line) => line.startsWith("memory: "))).toHaveLength(server.answered - 1);
});

test("a model of this repository answers, and says what it read on standard error", async () => {
  const base = new URL("../../recipes/bases/quickstart", import.meta.url).pathname;
  const notes = join(folder, "notes.md");
  await writeFile(notes, " sam likes milk. tom likes figs. mia likes tea.");
  const { stdout, stderr, code } = await Command.start(
    ["ask", notes, "-q", "what does tom like?", "--model", base, "--backend", "tensorflow"],
    { cwd: folder, environment: {} },
  ).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\w+\n$/) });
  expect(stderr).toMatch(/reading \d+ tokens\n/);
});

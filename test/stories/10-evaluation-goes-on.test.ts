/** Tests an evaluation that is killed in the middle and started again: no finished question is asked a second time. */
import { readFile, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Command } from "../support/command.js";
import { testFolder } from "../support/temporary-folder.js";
import { answerChat, startChatServer, stopServer } from "./chat-server.js";

const questions = 12;

let folder: string;
let server: Server;
/** The numbers of the questions in the order in which they reached the model. */
let asked: number[];
/** The server holds back its answers after this many. */
let answersBeforeStop: number;
let stopped: () => void;
let stop: Promise<void>;
let answered: number;

beforeEach(async () => {
  folder = testFolder();
  asked = [];
  answered = 0;
  answersBeforeStop = Number.POSITIVE_INFINITY;
  stop = new Promise((resolve) => {
    stopped = resolve;
  });
  server = await startChatServer((body, response) => {
    const number = Number(/color of number (\d+)/.exec(body)?.[1]);
    asked.push(number);
    // This answer is held back, so that the process is killed while some questions are in flight.
    if (answered >= answersBeforeStop) {
      stopped();
      return;
    }
    answered += 1;
    answerChat(response, number % 3 === 0 ? "I do not know" : `\\boxed{shade ${number}}`);
  });
  const rows = Array.from({ length: questions }, (_, i) => ({
    id: `q${i}`,
    question: `What is the color of number ${i}?`,
    answers: [`shade ${i}`],
    document: `The color of number ${i} is shade ${i}.`,
  }));
  await writeFile(join(folder, "tasks.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
});

afterEach(() => stopServer(server));

function evaluate(): Command {
  const { port } = server.address() as AddressInfo;
  return Command.start(
    [
      ...["eval", "longqa", "--input", "tasks.jsonl", "--endpoint", `http://127.0.0.1:${port}`],
      ...["--model", "test-model", "--systems", "closed-book,full-context", "--concurrency", "3"],
      ...["--out", "out"],
    ],
    { cwd: folder, environment: {} },
  );
}

const keptLines = async () =>
  (await readFile(join(folder, "out/predictions.jsonl"), "utf8")).split("\n").filter((line) => line !== "");

test("an evaluation that was killed goes on without asking again what was finished", async () => {
  answersBeforeStop = 17;
  const first = evaluate();
  await stop;
  // All three lanes wait for answers that never come, so nothing is being written any more.
  while (asked.length < answersBeforeStop + 3) await new Promise((resolve) => setImmediate(resolve));
  first.kill("SIGKILL");
  const { signal } = await first.ended;
  expect(signal).toBe("SIGKILL");
  const kept = (await keptLines()).map((line) => JSON.parse(line) as { system: string; item: string });
  expect(kept.length).toBe(17);
  // The death of the process has also truncated a line.
  await writeFile(join(folder, "out/predictions.jsonl"), '{"key":"cut sho', { flag: "a" });

  answersBeforeStop = Number.POSITIVE_INFINITY;
  asked = [];
  const second = await evaluate().ended;
  expect(second.stderr).not.toContain("error:");
  expect(second.code).toBe(0);
  const finished = new Set(kept.filter(({ system }) => system === "full-context").map(({ item }) => item));
  expect(asked.length).toBe(2 * questions - kept.length);
  for (const number of asked) expect(finished.has(`q${number}/all`)).toBe(false);

  const report = JSON.parse(await readFile(join(folder, "out/report.json"), "utf8"));
  const [closedBook, fullContext] = report.summary.systems;
  for (const { cells } of [closedBook, fullContext]) {
    expect(cells[0].n).toBe(questions);
    expect(cells[0].failures).toBe(0);
    // Questions 0, 3, 6 and 9 got no answer.
    expect(cells[0].metrics.exactMatch.value).toBeCloseTo(8 / 12, 12);
  }
  expect(report.pairs[0]).toMatchObject({ metric: "exactMatch", difference: 0, p: 1 });

  // A third start asks nothing at all, and reports the same.
  asked = [];
  const third = await evaluate().ended;
  expect(third.code).toBe(0);
  expect(asked).toEqual([]);
  expect(third.stdout).toBe(second.stdout);
});

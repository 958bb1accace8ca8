import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { generatedTasks } from "../tasks/task-set.js";
import { PassRates } from "./pass-rates.js";
import { type RatingRequest, rateQuestions } from "./rate-questions.js";

const folder = fileFolder();

const taskOf = (at: number): Task => ({
  id: `q${at}`,
  question: "who?",
  answers: ["ann"],
  document: "",
  metadata: {},
});
const request = (path: string): RatingRequest => ({
  tasks: generatedTasks(6, taskOf),
  samples: 2,
  concurrency: 2,
  path,
  settings: { model: "small" },
  play: async (_, { position }) => position % 2,
});

describe("a file of rates", () => {
  it("RATING-4: is written by one at a time: a second rating is refused, and the first is whole", async () => {
    const path = join(folder, "two.jsonl");
    let second: Promise<unknown> | undefined;
    const first = await rateQuestions({
      ...request(path),
      onProgress: () => {
        second ??= rateQuestions(request(path)).catch((reason: unknown) => reason);
      },
    });
    expect(first).toMatchObject({ rated: 6, resumed: 0 });
    expect(String(await second)).toMatch(
      new RegExp(
        `\\[BAD_CONFIG\\] out: ".*two.jsonl" is being written by process ${process.pid} on ${hostname()}, since .*; .* remove .*two.jsonl.lock`,
      ),
    );
    expect((await PassRates.read(path)).count).toBe(6);
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(await rateQuestions(request(path))).toMatchObject({ rated: 6, resumed: 6 });
  });

  it("RATING-4: is taken over from a process that has ended, and not from one of another machine", async () => {
    const path = join(folder, "dead.jsonl");
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const lock = `${path}.lock`;
    let own = "";
    const onProgress = () => {
      own = readFileSync(lock, "utf8");
    };
    await rateQuestions({ ...request(join(folder, "dead.jsonl")), onProgress });
    writeFileSync(lock, JSON.stringify({ ...JSON.parse(own), pid }));
    expect(await rateQuestions(request(path))).toMatchObject({ rated: 6 });
    expect(existsSync(lock)).toBe(false);
    writeFileSync(lock, JSON.stringify({ ...JSON.parse(own), pid, machine: "elsewhere" }));
    await expect(rateQuestions(request(path))).rejects.toThrow(
      /is being written by process \d+ on elsewhere/,
    );
  });

  it("is never made of a file that is something else, though its only line has no end (SETTINGSLOG-1)", async () => {
    const path = join(folder, "precious.json");
    for (const text of ['{"precious":true}', "words", '{"log":"pass-rates","settings":{"model":"sm']) {
      writeFileSync(path, text);
      const rated = rateQuestions(request(path));
      if (text.includes("pass-rates")) expect(await rated).toMatchObject({ rated: 6 });
      else {
        await expect(rated).rejects.toThrow(
          /out: ".*precious.json" is not a file of pass rates; give another path/,
        );
        expect(readFileSync(path, "utf8")).toBe(text);
      }
    }
  });
});

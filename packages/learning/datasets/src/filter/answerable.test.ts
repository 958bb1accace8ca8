import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { type AnswerableRequest, findAnswerable } from "./answerable.js";

const folder = fileFolder();

const tasks = Array.from({ length: 6 }, (_, i) => ({ id: `t${i}`, question: `q${i}`, answers: [`a${i}`] }));
let logs = 0;
/** A model that knows t1 at once and t4 at the second try. */
const aRequest = (changes: Partial<AnswerableRequest> = {}): AnswerableRequest => ({
  tasks,
  samples: 3,
  concurrency: 2,
  logPath: join(folder, `log-${logs++}.jsonl`),
  settings: { model: "m" },
  ask: async ({ id }, sample) =>
    id === "t1" || (id === "t4" && sample === 1) ? `a${id.slice(1)}` : "no idea",
  isRight: (answer, answers) => answers.includes(answer),
  ...changes,
});

describe("findAnswerable", () => {
  it("finds what any sample answers, and asks no more once one did (ANSWERABLE-2)", async () => {
    const asked: string[] = [];
    const base = aRequest();
    const request = aRequest({
      ask: (task, sample, signal) => {
        asked.push(`${task.id}/${sample}`);
        return base.ask(task, sample, signal);
      },
    });
    const { answered, answers } = await findAnswerable(request);
    expect([...answered].sort()).toEqual(["t1", "t4"]);
    expect(asked.filter((one) => one.startsWith("t1"))).toEqual(["t1/0"]);
    expect(asked.filter((one) => one.startsWith("t4"))).toEqual(["t4/0", "t4/1"]);
    expect(answers).toHaveLength(4 * 3 + 1 + 2);
  });

  it("never asks more at once than it may (ANSWERABLE-3)", async () => {
    let now = 0;
    let most = 0;
    const ask = async () => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      now -= 1;
      return "no idea";
    };
    await findAnswerable(aRequest({ ask, concurrency: 3 }));
    expect(most).toBe(3);
  });

  it("stops at an answer that cannot be had, and goes on from the log without asking twice (ANSWERABLE-1, ANSWERABLE-4)", async () => {
    const request = aRequest({ concurrency: 1 });
    let left = 5;
    const failing = findAnswerable({
      ...request,
      ask: (task, sample, signal) => {
        if (left-- === 0) throw new Error("the server is gone");
        return request.ask(task, sample, signal);
      },
    });
    await expect(failing).rejects.toThrow("the server is gone");
    // As a crash leaves it: the last line is half there.
    appendFileSync(request.logPath, '{"id":"t2","sam');
    const asked: string[] = [];
    const { answered, resumed } = await findAnswerable({
      ...request,
      ask: (task, sample, signal) => {
        asked.push(`${task.id}/${sample}`);
        return request.ask(task, sample, signal);
      },
    });
    expect(resumed).toBe(5);
    expect([...answered].sort()).toEqual(["t1", "t4"]);
    expect(asked[0]).toBe("t2/1");
    expect(new Set(asked).size).toBe(asked.length);
    const third = await findAnswerable({ ...request, ask: () => Promise.reject(new Error("asked again")) });
    expect(third.answered).toEqual(answered);
    expect(third.resumed).toBe(15);
    expect(readFileSync(request.logPath, "utf8").trim().split("\n")).toHaveLength(1 + 15);
  });

  it("logs answers of any length whole, though many arrive at once (ANSWERABLE-1)", async () => {
    // One write of the system takes 512 KiB, so answers that are longer need several.
    const answer = "no idea ".repeat(2 ** 18);
    const request = aRequest({ concurrency: 6, samples: 1, ask: async (task) => `${task.id} ${answer}` });
    await findAnswerable(request);
    expect((await findAnswerable(request)).resumed).toBe(6);
  });

  it("begins a log anew whose first line a crash cut off, and no other that it cannot read", async () => {
    const request = aRequest();
    writeFileSync(request.logPath, '{"log":"answ');
    expect((await findAnswerable(request)).answered.size).toBe(2);
    expect((await findAnswerable(request)).resumed).toBe(15);
    writeFileSync(request.logPath, "something else\nthat somebody wrote\n");
    await expect(findAnswerable(request)).rejects.toMatchObject({ code: "BAD_CONFIG" });
    expect(readFileSync(request.logPath, "utf8")).toContain("somebody");
  });

  it("refuses a log of other settings", async () => {
    const request = aRequest();
    await findAnswerable(request);
    await expect(findAnswerable({ ...request, settings: { model: "other" } })).rejects.toMatchObject({
      code: "BAD_CONFIG",
    });
  });

  it("ends at an abort", async () => {
    const stop = new AbortController();
    const request = aRequest({ signal: stop.signal, onProgress: () => stop.abort(new Error("enough")) });
    await expect(findAnswerable(request)).rejects.toThrow("enough");
  });
});

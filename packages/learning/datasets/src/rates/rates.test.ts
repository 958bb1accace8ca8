import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { generatedTasks, type TaskSet } from "../tasks/task-set.js";
import { PassRates } from "./pass-rates.js";
import { type RatingRequest, rateQuestions } from "./rate-questions.js";
import { type RateSelection, ratedTasks } from "./rated-tasks.js";

const folder = fileFolder();
const fileOf = (name: string) => join(folder, name);

const taskOf = (id: string): Task => ({
  id,
  question: `who is ${id}?`,
  answers: ["ann"],
  document: `about ${id}`,
  metadata: {},
});
const setOf = (ids: readonly string[]): TaskSet =>
  generatedTasks(ids.length, (position) => taskOf(ids[position] ?? ""));

/** Solves question `position` in so many of four episodes. */
const rating = (path: string, ids: readonly string[], solved: readonly number[]): RatingRequest => ({
  tasks: setOf(ids),
  samples: 4,
  concurrency: 3,
  path,
  settings: { model: "small" },
  play: async (_, { position, sample }) => (sample < (solved[position] ?? 0) ? 1 : 0),
});
const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");

const ids = ["a", "b", "c", "d", "e", "f"];
const solved = [0, 2, 4, 1, 2, 3];

async function idsOf(set: TaskSet): Promise<string[]> {
  return await Promise.all(Array.from({ length: set.count }, async (_, at) => (await set.open(at)).id));
}

describe("rateQuestions", () => {
  it("RATING-1: goes on where it was stopped, whatever of a line was written, and asks nothing twice", async () => {
    const whole = fileOf("whole.jsonl");
    const all = await rateQuestions(rating(whole, ids, solved));
    expect(all).toMatchObject({ questions: 6, rated: 6, resumed: 0, never: 1, always: 1, mean: 0.5 });
    const path = fileOf("resumed.jsonl");
    const stop = new AbortController();
    const request = rating(path, ids, solved);
    const stopped = rateQuestions({
      ...request,
      concurrency: 1,
      signal: stop.signal,
      onProgress: ({ rated }) => rated === 2 && stop.abort(new Error("killed")),
    });
    await expect(stopped).rejects.toThrow("killed");
    expect(linesOf(path)).toHaveLength(3);
    // The process ended within its next line, or just before the line's end was written.
    const third = linesOf(whole)[3] ?? "";
    for (const cut of [third.slice(0, 20), third]) {
      appendFileSync(path, cut);
      const kept = readFileSync(path).length - Buffer.byteLength(cut);
      const asked: number[] = [];
      const onlyLook = { ...request, play: async () => await Promise.reject(new Error("looked")) };
      await expect(rateQuestions(onlyLook)).rejects.toThrow("looked");
      expect(readFileSync(path)).toHaveLength(kept);
      if (cut !== third) continue;
      const resumed = await rateQuestions({
        ...request,
        play: (task, episode) => {
          asked.push(episode.position);
          return request.play(task, episode);
        },
      });
      expect(resumed).toEqual({ ...all, resumed: 2 });
      expect([...new Set(asked)].sort()).toEqual([2, 3, 4, 5]);
      expect(asked).toHaveLength(16);
    }
    expect(linesOf(path).sort()).toEqual(linesOf(whole).sort());
    // Of the first line, too, a part may be there.
    truncateSync(path, 10);
    expect(await rateQuestions(request)).toEqual(all);
  });

  it("RATING-2: the rate is the mean of the scored episodes; a question without one ends the rating with the reason", async () => {
    const path = fileOf("failures.jsonl");
    const request = rating(path, ["a", "b"], [4, 0]);
    const failing = (fails: (position: number, sample: number) => boolean): RatingRequest => ({
      ...request,
      concurrency: 1,
      play: (task, episode) =>
        fails(episode.position, episode.sample)
          ? Promise.reject(new Error("too long"))
          : request.play(task, episode),
    });
    await expect(
      rateQuestions(failing((position, sample) => position === 1 || sample === 2)),
    ).rejects.toThrow(/question "b" \(position 1\): each of its 4 episodes failed.*too long/);
    expect(await rateQuestions(request)).toMatchObject({ resumed: 1, failed: 1, mean: 0.5 });
    expect(linesOf(path)[1]).toContain('"samples":3,"failed":1,"passRate":1}');
  });

  it("refuses a file of other settings by their names, and one that is no file of rates (SETTINGSLOG-2)", async () => {
    const path = fileOf("other.jsonl");
    const request = rating(path, ids, solved);
    await rateQuestions(request);
    await expect(rateQuestions({ ...request, settings: { model: "large" } })).rejects.toThrow(
      /out: .* other settings \(model: there "small", here "large"\)/,
    );
    const wrong = fileOf("tasks.jsonl");
    writeFileSync(wrong, `${JSON.stringify(taskOf("a"))}\n${JSON.stringify(taskOf("b"))}\n`);
    await expect(rateQuestions({ ...request, path: wrong })).rejects.toThrow("is not a file of pass rates");
    expect(linesOf(wrong)).toHaveLength(2);
  });

  it("RATING-3: holds as many questions as are asked at once", async () => {
    let [open, most] = [0, 0];
    const request = rating(fileOf("held.jsonl"), ids, solved);
    await rateQuestions({
      ...request,
      concurrency: 2,
      play: async (task, episode) => {
        if (episode.sample === 0) most = Math.max(most, ++open);
        await new Promise(setImmediate);
        if (episode.sample === 3) open--;
        return await request.play(task, episode);
      },
    });
    expect(most).toBe(2);
  });
});

describe("ratedTasks", () => {
  const select = async (set: TaskSet, selection: RateSelection, path = fileOf("rates.jsonl")) =>
    await ratedTasks(set, await PassRates.read(path), selection);

  it("leaves out what lies outside the bounds, orders the rest by rate, and equal ones as they come", async () => {
    await rateQuestions(rating(fileOf("rates.jsonl"), ids, solved));
    const within = { min: 0.1, max: 0.9 };
    expect(await idsOf(await select(setOf(ids), within))).toEqual(["b", "d", "e", "f"]);
    expect(await idsOf(await select(setOf(ids), { ...within, order: "easy-first" }))).toEqual([
      "f",
      "b",
      "e",
      "d",
    ]);
    expect(await idsOf(await select(setOf(ids), { ...within, order: "hard-first" }))).toEqual([
      "d",
      "b",
      "e",
      "f",
    ]);
    // Bounds belong to what stays; the data may be in another order and hold less than was rated.
    const fewer = setOf(["f", "e", "d", "b"]);
    expect(await idsOf(await select(fewer, { min: 0.25, max: 0.5 }))).toEqual(["e", "d", "b"]);
  });

  it("refuses rates of other data, rates that are not finished, and bounds that leave nothing or everything", async () => {
    const path = fileOf("rates.jsonl");
    const bounds = { min: 0.1, max: 0.9 };
    await expect(select(setOf(["x", "y"]), bounds)).rejects.toThrow(
      /path: ".*rates.jsonl" rates none of the 2 questions, such as "x", so it was made from other data/,
    );
    await expect(select(setOf([...ids, "g", "h"]), bounds)).rejects.toThrow(
      /has no rate for 2 of 8 questions, the first of which is "g"; finish the file/,
    );
    const changed = generatedTasks(6, (position) => ({
      ...taskOf(ids[position] ?? ""),
      ...(position === 3 ? { document: "another" } : {}),
    }));
    await expect(select(changed, bounds)).rejects.toThrow(
      /made from other data: 1 of 6 questions had another text .* "d"/,
    );
    await expect(select(setOf(ids), { min: 0.3, max: 0.4 })).rejects.toThrow(
      /min 0.3 and max 0.4: keep none of the 6 questions .* from 0 to 1;/,
    );
    await expect(select(setOf(ids), { min: 0, max: 1 })).rejects.toThrow(
      /passRates would have no effect; narrow/,
    );
    expect((await select(setOf(ids), { min: 0, max: 1, order: "hard-first" })).count).toBe(6);
    const twice = fileOf("twice.jsonl");
    writeFileSync(twice, `${readFileSync(path, "utf8")}${linesOf(path)[2]}\n`);
    await expect(PassRates.read(twice)).rejects.toThrow(/line 8 of .* a second time; remove one/);
    writeFileSync(twice, `${readFileSync(path, "utf8")}{"position":7,"id"`);
    await expect(PassRates.read(twice)).rejects.toThrow(/line 8 of .* is not a pass rate \(is not JSON\)/);
  });
});

import { createHash } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { DatasetError } from "../error.js";
import { worldSplits } from "./entities.js";
import type { World, WorldSetting } from "./world.js";
import { openWorldTasks, streamedWorldTasks } from "./world-tasks.js";
import { worldByName, worlds } from "./worlds.js";

const opened = (world: World, setting: Partial<WorldSetting> = {}) =>
  world.open({ ...world.defaults, seed: 1, split: "train", index: 0, length: 64, ...setting });

const wordsOf = (text: string) => text.match(/\p{L}+/gu) ?? [];

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

describe.each(worlds.map((world) => [world.name, world] as const))("the world %s", (_, world) => {
  it("is answered by both oracles, forward and backward, which take the events alone", () => {
    for (let index = 0; index < 60; index++) {
      const one = opened(world, {
        index,
        length: [64, 200][index % 2] ?? 64,
        split: worldSplits[index % 3] ?? "dev",
      });
      const events = [...one.sentences()].map(({ event }) => event);
      expect(one.follow(events)).toBe(one.answer);
      const { answer, evidence } = one.trace(events);
      expect(answer).toBe(one.answer);
      expect(evidence.every((at, i) => events[at]?.kind !== "bait" && at > (evidence[i - 1] ?? -1))).toBe(
        true,
      );
      for (const label of one.answer.split(" and ")) expect(one.candidates).toContain(label);
    }
  });

  it("has both oracles need their events: without the evidence, an answer is seldom the same", () => {
    let same = 0;
    let asked = 0;
    for (let index = 0; index < 60; index++) {
      const one = opened(world, { index, length: 200 });
      const events = [...one.sentences()].map(({ event }) => event);
      const { evidence } = one.trace(events);
      if (evidence.length === 0) continue;
      asked += 1;
      const rest = events.filter((_event, at) => !evidence.includes(at));
      if (one.follow(rest) === one.answer) same += 1;
    }
    expect(asked).toBeGreaterThan(20);
    expect(same / asked).toBeLessThan(0.6);
  });

  it("says one thing with each sentence, whichever wording is used", () => {
    const said = new Map<string, string>();
    for (let index = 0; index < 3; index++) {
      for (const { text, event } of opened(world, { index, length: 2000, split: "test" }).sentences()) {
        const meant = JSON.stringify(event);
        expect(said.get(text) ?? meant, text).toBe(meant);
        said.set(text, meant);
      }
    }
  });

  it("has four wordings of each fact, two more in texts for tests, and gives the same text again", () => {
    const wordings = (split: WorldSetting["split"]) => {
      const found = new Map<string, Set<string>>();
      for (let index = 0; index < 16; index++)
        for (const { text, event } of opened(world, { index, length: 400, split }).sentences()) {
          if (event.kind === "bait") continue;
          const [, ...slots] = Object.values(event);
          const form = slots.reduce(
            (rest: string, slot) => rest.replace(new RegExp(`\\b${slot}\\b`, "gi"), "…"),
            text,
          );
          found.set(event.kind, (found.get(event.kind) ?? new Set()).add(form));
        }
      return found;
    };
    const [train, dev, test] = worldSplits.map(wordings);
    for (const [kind, forms] of train ?? []) {
      expect(forms.size, kind).toBe(4);
      expect(dev?.get(kind)).toEqual(forms);
      expect(test?.get(kind)?.size).toBe(6);
      for (const form of forms) expect(test?.get(kind)?.has(form)).toBe(true);
    }
    const text = () => [...opened(world, { length: 500 }).sentences()].map((one) => one.text).join("\n");
    expect(text()).toBe(text());
  });

  it("has answers among its candidates with any cast that its settings allow", () => {
    for (const cast of [2, 3, 10])
      for (let index = 0; index < 12; index++) {
        const one = opened(world, { index, cast, length: 96 });
        const events = [...one.sentences()].map(({ event }) => event);
        for (const label of one.answer.split(" and ")) expect(one.candidates).toContain(label);
        expect(one.follow(events)).toBe(one.answer);
        expect(one.trace(events).answer).toBe(one.answer);
        expect([...one.sentences()].every(({ text }) => !/ [,.]| {2}/.test(text))).toBe(true);
      }
  });

  it("refuses a text that is too short to begin", () => {
    expect(() => opened(world, { length: 32, distance: 0.8 })).toThrow(DatasetError);
    expect(() => opened(world, { length: 32, distance: 0.8 })).toThrow(/length: 32 .*; give at least \d+/);
  });
});

it.each(["trade", "carry"])(
  "says of %s what a reader has to remember, of which the last word answers",
  (name) => {
    for (let index = 0; index < 40; index++) {
      const one = opened(worldByName(name), { index, length: 120, split: "test" });
      const events = [...one.sentences()].map(({ event }) => event);
      for (let read = 0; read <= events.length; read += 15) {
        const note = one.note?.(events.slice(0, read));
        expect(note?.split(" ").at(-1)).toBe(one.follow(events.slice(0, read)));
      }
      expect(one.note?.(events)?.split(" ").at(-1)).toBe(one.answer);
    }
  },
);

it("has people, things, rooms and sights of training, development and test apart", () => {
  const entities = worldSplits.map((split) => {
    const found = new Set<string>();
    for (const world of worlds)
      for (let index = 0; index < 6; index++)
        for (const label of opened(world, { split, index }).candidates) found.add(label);
    return found;
  });
  const shared = [...(entities[0] ?? [])].filter(
    (label) => entities[1]?.has(label) && entities[2]?.has(label),
  );
  // What is left are numbers, "yes", "no" and the like.
  for (const label of shared)
    expect(label).toMatch(/^(yes|no|maybe|nobody|nothing|nowhere|unknown|[a-z]+(-[a-z]+)?)$/);
  for (const [a, b] of [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const)
    for (const label of entities[a] ?? [])
      if (/^\p{Lu}/u.test(label)) expect(entities[b]?.has(label)).toBe(false);
});

it("names nobody and nothing by a word that sentences are made of", () => {
  const common = new Set("will may can must saw mark to is in the a and who where now".split(" "));
  for (const world of worlds)
    for (const split of worldSplits)
      for (let index = 0; index < 12; index++) {
        const { candidates, asked } = opened(world, { split, index });
        for (const label of [...candidates, ...asked])
          expect(common.has(label.toLowerCase()), label).toBe(false);
      }
});

it("gives the same bytes on every machine", () => {
  const hash = createHash("sha256");
  for (const world of worlds)
    for (const split of worldSplits) {
      const one = opened(world, { split, length: 300 });
      hash.update(`${one.question}\n${one.answer}\n`);
      for (const { text } of one.sentences()) hash.update(`${text}\n`);
    }
  expect(hash.digest("hex").slice(0, 16)).toBe("8cecfc3d6442c787");
});

it("streams a million tokens in memory that does not grow", () => {
  const one = opened(worldByName("trade"), { length: 140_000 });
  let [sentences, first, most] = [0, 0, 0];
  for (const _ of one.sentences()) {
    sentences += 1;
    if (sentences % 35_000 !== 0) continue;
    const used = heapUsed();
    if (first === 0) first = used;
    most = Math.max(most, used);
  }
  expect(sentences).toBe(140_000);
  expect(most / first).toBeLessThan(1.01);
});

describe("tasks of worlds", () => {
  it("are the same one by one and streamed, in the lengths that were asked for", async () => {
    const config = { world: "carry", count: 30, sentences: { min: 64, max: 96 }, split: "dev" } as const;
    const tasks = openWorldTasks(config);
    const streamed = streamedWorldTasks(config);
    const lengths = new Set<unknown>();
    for (let position = 0; position < tasks.count; position++) {
      const task = await tasks.open(position);
      const { pieces, ...rest } = streamed.at(position);
      expect(task).toEqual({ ...rest, document: [...pieces()].join("") });
      lengths.add(task.metadata["sentences"]);
    }
    expect(lengths.size).toBeGreaterThan(20);
    expect(Math.min(...([...lengths] as number[]))).toBeLessThan(68);
    expect(Math.max(...([...lengths] as number[]))).toBeGreaterThan(92);
  });

  it("name the setting that cannot be", () => {
    expect(() => openWorldTasks({ world: "trades", sentences: 64 })).toThrow(/world/);
    expect(() => openWorldTasks({ world: "trade", sentences: 64, cast: 14 })).toThrow(
      /there are 12; give at most 12/,
    );
    expect(() => openWorldTasks({ world: "trade", sentences: 16 })).toThrow(/length: 16 .* give at least 23/);
    expect(() => worldByName("trades")).toThrow(
      /use one of link, trade, carry, count, withdraw, before, babi-1/,
    );
  });

  it("may be in lower case, answers and questions too", async () => {
    const task = await openWorldTasks({ world: "trade", sentences: 64, lowercase: true }).open(0);
    expect(task.document).toBe(task.document.toLowerCase());
    expect([task.question, ...task.answers].join()).toBe(
      [task.question, ...task.answers].join().toLowerCase(),
    );
    expect(wordsOf(task.document)).toContain(task.answers[0]);
  });
});

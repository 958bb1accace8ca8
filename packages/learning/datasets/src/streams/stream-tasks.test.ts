import { describe, expect, it } from "vitest";
import { DatasetError } from "../error.js";
import { openStreamTasks, type StreamConfigInput, streamCategories } from "./stream-tasks.js";

const forms = {
  tell: "{subject} likes {value}.",
  takeBack: "{subject} likes nothing.",
  chat: "{subject} draws {value}.",
  current: "what does {subject} like?",
  past: "what did {subject} like before?",
  multi: "what do {subject} and {other} like?",
};
const plain: StreamConfigInput = {
  seed: "s",
  turns: 64,
  told: 5,
  unsaid: 2,
  forms,
  subjects: ["ann", "ben", "cem", "dan", "eve", "fay", "gus", "hal"],
  values: ["cats", "hats", "bats", "nuts", "figs"],
};
const opened = async (input: StreamConfigInput) => {
  const set = openStreamTasks(input);
  return await Promise.all(Array.from({ length: set.count }, (_, at) => set.open(at)));
};

/** What the turns say, read without the generator. */
function read(document: string) {
  const known = new Map<string, string[]>();
  for (const turn of document.split("\n")) {
    const [subject = "", verb, value = ""] = turn.replace(".", "").split(" ");
    if (verb !== "likes") continue;
    if (value === "nothing") known.delete(subject);
    else known.set(subject, [...(known.get(subject) ?? []), value]);
  }
  return known;
}

describe("streams", () => {
  it("ask for what the turns say now and said before, for two at once, and for what was never said", async () => {
    for (const { document, probes = [], metadata } of await opened({ ...plain, count: 50 })) {
      const known = read(document);
      expect(document.split("\n")).toHaveLength(64);
      expect(probes).toHaveLength(16);
      expect(metadata["turns"]).toBe(64);
      for (const { question, answers, category = "", heldOut } of probes) {
        const named = String(metadata["subjects"])
          .split(" | ")
          .filter((subject) => question.split(/\W/).includes(subject));
        const values = named.map((subject) => known.get(subject) ?? []);
        const wanted: Record<string, unknown> = {
          current: values[0]?.at(-1),
          past: values[0]?.at(-2),
          unknown: undefined,
        };
        expect(heldOut).toBe(true);
        expect(streamCategories).toContain(category);
        if (category === "multi")
          expect(answers[0]?.split(" and ").sort()).toEqual(values.map((said) => said.at(-1)).sort());
        else expect(answers[0]).toBe(wanted[category]);
        if (category === "unknown") expect(values).toEqual([[]]);
      }
    }
  });

  it("ask half for current values, and a quarter for what is unknown", async () => {
    const [task] = await opened(plain);
    const count = (wanted: string) => task?.probes?.filter(({ category }) => category === wanted).length;
    expect(streamCategories.map(count)).toEqual([8, 2, 2, 4]);
    const [single] = await opened({ ...plain, turns: 1 });
    expect(single?.probes?.map(({ category }) => category).includes("past")).toBe(false);
  });

  it("are the same for the same settings, and of every length of the range", async () => {
    const range = { ...plain, count: 40, turns: { min: 8, max: 64 } };
    const [one, two] = [await opened(range), await opened(range)];
    expect(one).toEqual(two);
    const lengths = one.map(({ metadata }) => Number(metadata["turns"]));
    expect(Math.min(...lengths)).toBeLessThan(12);
    expect(Math.max(...lengths)).toBeGreaterThan(58);
    expect(new Set(one.map(({ document }) => document)).size).toBe(40);
  });

  it("have the worlds' things, rooms and wordings where nothing else is said, apart for tests", async () => {
    const words = async (split: "train" | "test") => {
      const tasks = await opened({ turns: 200, count: 5, split });
      return tasks.map(({ document }) => document).join("\n");
    };
    const [train, test] = [await words("train"), await words("test")];
    expect(train).toMatch(/report/);
    expect(train).toMatch(/attic|garden/);
    expect(train).not.toMatch(/museum|According to a report/);
    expect(test).toMatch(/museum/);
    expect(test).toMatch(/According to a report/);
  });

  it("refuse more subjects than there are", () => {
    expect(() => openStreamTasks({ turns: 8, told: 12, unsaid: 4 })).toThrow(DatasetError);
  });
});

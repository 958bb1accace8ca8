import { describe, expect, it } from "vitest";
import { storeTasks } from "./store-tasks.js";

const words = (text: string) => text.match(/\w+/g) ?? [];

describe("storeTasks", () => {
  const tasks = storeTasks({ count: 60, seed: 1, people: 5 });

  it("state something of somebody unknown, something else, or what is known beside what no longer holds", () => {
    const counts = { new: 0, changed: 0, stale: 0 };
    for (const { question, metadata, records = [], answers } of tasks) {
      const kind = metadata["kind"] as keyof typeof counts;
      counts[kind] += 1;
      const [name = "", , value = ""] = words(question);
      const own = records.map(({ content }) => words(content)).filter((fact) => fact[0] === name);
      const liked = own.map((fact) => fact[2]);
      expect(records).toHaveLength(5);
      expect(answers).toEqual([value]);
      if (kind === "new") expect(own).toEqual([]);
      else expect(liked.filter((other) => other !== value)).toHaveLength(1);
      expect(liked.includes(value)).toBe(kind === "stale");
    }
    expect(counts).toEqual({ new: 20, changed: 20, stale: 20 });
  });

  it("show one probe and hold out its like, the reverse one and those about others", () => {
    for (const { question, probes = [], records = [] } of tasks) {
      const [name = "", , value = ""] = words(question);
      const [shown, like, reverse, ...others] = probes;
      expect(shown).toEqual({ question: `what does ${name} like?`, answers: [value], heldOut: false });
      expect(like).toEqual({ ...shown, question: `which thing is it that ${name} likes?`, heldOut: true });
      expect(reverse).toEqual({ question: `who is fond of ${value}?`, answers: [name], heldOut: true });
      expect(others).toHaveLength(1);
      for (const { question: asked, answers, heldOut } of others) {
        expect(heldOut).toBe(true);
        const other = words(asked)[2];
        expect(other).not.toBe(name);
        expect(records.map(({ content }) => content)).toContain(`${other} likes ${answers[0]}.`);
      }
    }
  });

  it("have no thing twice in a store, and ids that are letters", () => {
    for (const { records = [] } of tasks) {
      expect(new Set(records.map(({ content }) => words(content)[2])).size).toBe(records.length);
      expect(records.map(({ id }) => id).join("")).toBe("abcde");
    }
  });

  it("are the same for the same seed, and a longer list begins with the shorter one", () => {
    expect(storeTasks({ count: 6, seed: 1, people: 5 })).toEqual(tasks.slice(0, 6));
    expect(storeTasks({ count: 6, seed: 2, people: 5 })).not.toEqual(tasks.slice(0, 6));
    expect(() => storeTasks({ people: 8, names: 4 })).toThrow(
      "people: must be less than the number of names",
    );
  });
});

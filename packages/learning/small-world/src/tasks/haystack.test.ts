import { describe, expect, it } from "vitest";
import { haystackTasks } from "./haystack.js";

const prose = Array.from(
  { length: 50 },
  (_, i) => `The ${i}th wall of the old house stood in silence${i % 7 === 0 ? "!\n\n" : ". "}`,
).join("");
const words = (text: string) => text.split(/\s+/).filter((word) => word !== "").length;

describe("haystackTasks", () => {
  it("hide the asked fact once in prose of the wanted length", () => {
    for (const task of haystackTasks(
      prose,
      { count: 30, lengthTokens: 400, seed: 1 },
      { countTokens: words },
    )) {
      const evidence = task.metadata["evidence"] as string;
      expect(evidence).toMatch(new RegExp(`^[A-Z]\\w+ likes ${task.answers[0]}\\.$`));
      expect(task.document.split(evidence)).toHaveLength(2);
      expect(task.metadata["lengthTokens"]).toBe(words(task.document));
      expect(words(task.document)).toBeGreaterThan(385);
      expect(words(task.document)).toBeLessThanOrEqual(400 + words(evidence));
    }
  });

  it("leave the sentences of the prose whole and in order, going round where it is short", () => {
    const [task] = haystackTasks(prose, { lengthTokens: 1200 }, { countTokens: words });
    const numbers = [
      ...(task?.document ?? "").matchAll(/The (\d+)th wall of the old house stood in silence/g),
    ].map((m) => Number(m[1]));
    expect(numbers.length).toBe(120);
    numbers.slice(1).forEach((number, i) => {
      expect(number).toBe(((numbers[i] as number) + 1) % 50);
    });
  });

  it("put the fact at early and late places alike", () => {
    const tasks = haystackTasks(
      prose,
      { count: 400, lengthTokens: 200, seed: "depth" },
      { countTokens: words },
    );
    const early = tasks.filter((task) => (task.metadata["depth"] as number) < 0.5).length;
    expect(early).toBeGreaterThan(150);
    expect(early).toBeLessThan(250);
  });

  it("put the two facts of a chain in order, and hide facts about other names where asked", () => {
    const config = { kind: "two-hop", count: 40, lengthTokens: 100, distractors: 5 } as const;
    for (const task of haystackTasks(prose, config)) {
      const { evidence, secondEvidence } = task.metadata as Record<string, string>;
      const first = task.document.indexOf(evidence as string);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(task.document.indexOf(secondEvidence as string)).toBeGreaterThan(first);
      expect(secondEvidence).toContain(task.answers[0]);
      expect([...task.document.matchAll(/\w+ likes \w+\./g)]).toHaveLength(6);
      const name = (evidence as string).split(" ")[0] as string;
      expect(task.document.split(`${name} likes`)).toHaveLength(2);
    }
  });

  it("use no name or value that the prose itself uses", () => {
    const tasks = haystackTasks(`${prose} Anna drank tea with Ben.`, { count: 300, lengthTokens: 30 });
    for (const task of tasks) {
      expect(task.metadata["evidence"]).not.toMatch(/^(Anna|Ben) /);
      expect(task.answers).not.toEqual(["tea"]);
    }
  });

  it("are the same for the same seed", () => {
    const config = { count: 3, lengthTokens: 60, seed: 2 };
    expect(haystackTasks(prose, config)).toEqual(haystackTasks(prose, config));
    expect(haystackTasks(prose, { ...config, seed: 3 })).not.toEqual(haystackTasks(prose, config));
  });

  it("refuse an empty text and unknown settings", () => {
    expect(() => haystackTasks(" \n ", { lengthTokens: 10 })).toThrow("the text contains no sentence");
    expect(() => haystackTasks(prose, {} as { lengthTokens: number })).toThrow("lengthTokens");
  });
});

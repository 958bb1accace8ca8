import { describe, expect, it } from "vitest";
import { recallRows } from "./recall.js";

describe("recallRows", () => {
  it("state facts about different names and ask all of them again in another order", () => {
    for (const row of recallRows({ count: 30, facts: 8, seed: 1, prefix: "facts:" })) {
      const shown = row[0]?.text.replace("facts:", "").match(/[^.]+\./g) ?? [];
      expect(new Set(shown.map((fact) => fact.split(" ")[1])).size).toBe(8);
      const asked =
        row
          .slice(1)
          .map((segment) => segment.text)
          .join("")
          .match(/[^.]+\./g) ?? [];
      expect([...asked].sort()).toEqual([...shown].sort());
    }
  });

  it("train the values with the space before them, and nothing else", () => {
    const [row] = recallRows({ count: 1, facts: 4, seed: 2 });
    const trained = (row ?? []).filter((segment) => segment.trained).map((segment) => segment.text);
    expect(trained).toHaveLength(4);
    for (const text of trained) expect(text).toMatch(/^ \w+$/);
    const names = (row ?? []).filter((segment) => / likes$/.test(segment.text));
    expect(names).toHaveLength(4);
  });

  it("ask as many facts as are wanted, also more than were stated", () => {
    const values = (row: readonly { text: string; trained: boolean }[]) =>
      row.filter((segment) => segment.trained).map((segment) => segment.text);
    for (const row of recallRows({ count: 20, facts: 3, questions: 9, seed: 4 })) {
      expect(values(row)).toHaveLength(9);
      for (const value of values(row)) expect(row[0]?.text).toContain(`${value}.`);
    }
  });

  it("ask where values are from as often as is wanted", () => {
    const rows = recallRows({ count: 60, facts: 6, originFraction: 0.5, seed: 7 });
    const shown = rows.flatMap((row) => row[0]?.text.match(/[^.]+\./g) ?? []);
    const origins = shown.filter((fact) => / from /.test(fact));
    expect(origins.length).toBeGreaterThan(120);
    expect(origins.length).toBeLessThan(240);
    for (const row of rows) {
      const asked = (row[0]?.text.match(/[^.]+\./g) ?? []).map((fact) => fact.split(" ")[1]);
      expect(new Set(asked).size).toBe(6);
      for (const [at, segment] of row.entries())
        if (/ from$/.test(segment.text)) expect(row[at + 1]).toMatchObject({ trained: true });
    }
  });

  it("are the same for the same seed and take the generator's words", () => {
    const options = { count: 3, facts: 3, seed: 5, words: { names: 3, values: ["x", "y"] } };
    expect(recallRows(options)).toEqual(recallRows(options));
    expect(recallRows(options)[0]?.[0]?.text).toMatch(/^( (anna|ben|cora) likes [xy]\.){3}$/);
    expect(() => recallRows({ ...options, facts: 4 })).toThrow("facts: 4 is not from 2 to 3");
  });
});

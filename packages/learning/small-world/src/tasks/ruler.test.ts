import { describe, expect, it } from "vitest";
import { rulerTaskStream, rulerTasks } from "./ruler.js";
import type { RulerConfigInput } from "./ruler-config.js";

const tokens = (text: string) => (text.match(/ ?\w+|[^\w]/g) ?? []).length;
const sentences = (document: string): string[] => document.match(/[^.]+\./g) ?? [];
const count = (text: string, part: string) => text.split(part).length - 1;

describe("needle tasks", () => {
  it("state the asked fact once and name the asked name nowhere else", () => {
    for (const task of rulerTasks({ count: 200, seed: 1, sentences: 40, fillerFraction: 0.2 })) {
      const name = /^what does (\w+) like\?$/.exec(task.question)?.[1] as string;
      const about = sentences(task.document).filter((sentence) => sentence.includes(` ${name} `));
      expect(about).toEqual([` ${name} likes ${task.answers[0]}.`]);
      expect(task.metadata["evidence"]).toBe(about[0]);
      const at = sentences(task.document).indexOf(about[0] as string);
      expect(task.metadata["depth"]).toBe(at / 39);
    }
  });

  it("put the fact at every place equally often (chi-square over 16 places, p > 0.001)", () => {
    const observed = new Array<number>(16).fill(0);
    for (const task of rulerTaskStream({ count: 8000, seed: "depth", sentences: 16 })) {
      const at = Math.round((task.metadata["depth"] as number) * 15);
      observed[at] = (observed[at] as number) + 1;
    }
    const chiSquare = observed.reduce((sum, n) => sum + (n - 500) ** 2 / 500, 0);
    expect(chiSquare).toBeLessThan(37.7); // 15 degrees of freedom
  });

  it("stand at a given depth where one is given", () => {
    for (const [depth, at] of [
      [0, 0],
      [0.5, 5],
      [1, 10],
    ] as const) {
      const [task] = rulerTasks({ sentences: 11, depth });
      expect(sentences(task?.document ?? "").indexOf(task?.metadata["evidence"] as string)).toBe(at);
    }
  });

  it("use four tokens a sentence and the wanted number of tokens", () => {
    for (const task of rulerTasks({
      count: 20,
      lengthTokens: { min: 48, max: 96 },
      seed: 3,
      fillerFraction: 0.3,
    })) {
      for (const sentence of sentences(task.document)) expect(tokens(sentence)).toBe(4);
      expect(tokens(task.document)).toBe(task.metadata["lengthTokens"]);
      expect(task.metadata["lengthTokens"]).toBeGreaterThan(44);
      expect(task.metadata["lengthTokens"]).toBeLessThanOrEqual(96);
    }
  });

  it("measure their length with a tokenizer where one is given", () => {
    const [task] = rulerTasks({ lengthTokens: 400 }, { countTokens: (text) => text.length });
    expect(task?.metadata["lengthTokens"]).toBe(task?.document.length);
    expect(Math.abs((task?.document.length ?? 0) - 400)).toBeLessThan(60);
  });

  it("fill the given share of the other sentences with filler", () => {
    const [task] = rulerTasks({ sentences: 4000, fillerFraction: 0.25 });
    const fillers = sentences(task?.document ?? "").filter((sentence) => / and /.test(sentence)).length;
    expect(fillers).toBeGreaterThan(900);
    expect(fillers).toBeLessThan(1100);
  });
});

describe("two-hop tasks", () => {
  const chain = (task: { question: string; document: string; answers: readonly string[] }) => {
    const name = /^where is what (\w+) likes from\?$/.exec(task.question)?.[1] as string;
    const likes = sentences(task.document).filter((sentence) => sentence.startsWith(` ${name} likes `));
    const value = /likes (\w+)/.exec(likes[0] as string)?.[1] as string;
    const origins = sentences(task.document).filter((sentence) => sentence.startsWith(` ${value} from `));
    return { name, likes, value, origins };
  };

  it("state each fact of the chain once, the name's fact first", () => {
    for (const task of rulerTasks({ kind: "two-hop", count: 200, seed: 2, sentences: 30 })) {
      const { name, likes, value, origins } = chain(task);
      expect(likes).toHaveLength(1);
      expect(origins).toEqual([` ${value} from ${task.answers[0]}.`]);
      expect(count(task.document, ` ${name} `)).toBe(1);
      expect(task.document.indexOf(likes[0] as string)).toBeLessThan(
        task.document.indexOf(origins[0] as string),
      );
    }
  });

  it("turn the order round where hopOrder says so", () => {
    const forward = (hopOrder: "backward" | "random") =>
      rulerTasks({ kind: "two-hop", count: 100, sentences: 12, hopOrder }).filter((task) => {
        const { likes, origins } = chain(task);
        return task.document.indexOf(likes[0] as string) < task.document.indexOf(origins[0] as string);
      }).length;
    expect(forward("backward")).toBe(0);
    expect(forward("random")).toBeGreaterThan(30);
    expect(forward("random")).toBeLessThan(70);
  });

  it("keep given depths and draw what is left open from the places that remain", () => {
    for (const depths of [{ depth: 0.5 }, { secondDepth: 0.5 }, { depth: 0.5, secondDepth: 1 }]) {
      for (const task of rulerTasks({ kind: "two-hop", count: 50, sentences: 5, ...depths })) {
        expect(task.metadata).toMatchObject(depths);
        expect(task.metadata["depth"]).toBeLessThan(task.metadata["secondDepth"] as number);
      }
    }
    expect(() => rulerTasks({ kind: "two-hop", sentences: 5, depth: 1 })).toThrow("leaves no position");
    expect(() => rulerTasks({ kind: "two-hop", sentences: 5, depth: 1, secondDepth: 0 })).toThrow("hopOrder");
  });

  it("take turns with needle tasks where the kind is mixed", () => {
    const kinds = rulerTasks({ kind: "mixed", count: 4, sentences: 8 }).map((task) => task.metadata["kind"]);
    expect(kinds).toEqual(["needle", "two-hop", "needle", "two-hop"]);
  });
});

describe("rulerTasks", () => {
  it("are the same for the same seed, different for another, and a shorter list begins a longer one", () => {
    const config: RulerConfigInput = { kind: "mixed", count: 6, sentences: { min: 3, max: 30 }, seed: 5 };
    expect(rulerTasks(config)).toEqual(rulerTasks(config));
    expect(rulerTasks({ ...config, count: 3 })).toEqual(rulerTasks(config).slice(0, 3));
    const other = rulerTasks({ ...config, seed: 6 }).map((task) => task.document);
    for (const task of rulerTasks(config)) expect(other).not.toContain(task.document);
  });

  it("have ids that differ", () => {
    const ids = rulerTasks({ kind: "mixed", count: 50, sentences: 4 }).map((task) => task.id);
    expect(new Set(ids).size).toBe(50);
  });

  it("stream documents of a million tokens in flat memory, piece for piece the same as whole ones", () => {
    const [short] = [...rulerTaskStream({ lengthTokens: 1000 })];
    expect([...(short?.pieces() ?? [])].join("")).toBe(rulerTasks({ lengthTokens: 1000 })[0]?.document);
    const [long] = [...rulerTaskStream({ lengthTokens: 1_000_000 })];
    let most = 0;
    let pieces = 0;
    let found = 0;
    const before = process.memoryUsage().heapUsed;
    for (const piece of long?.pieces() ?? []) {
      pieces += 1;
      if (piece === long?.metadata["evidence"]) found += 1;
      if (pieces % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
    }
    expect([pieces, found]).toEqual([250_000, 1]);
    expect(most).toBeLessThan(64 * 2 ** 20);
  });

  it("name the field where a setting is wrong", () => {
    const bad = (config: unknown) => () => rulerTasks(config as RulerConfigInput);
    expect(bad({})).toThrow("exactly one of sentences and lengthTokens");
    expect(bad({ sentences: 4, lengthTokens: 64 })).toThrow("exactly one");
    expect(bad({ sentences: 4, names: ["tea", "ben"] })).toThrow("must have no word in common");
    expect(bad({ sentences: 4, names: ["ben", "ben"] })).toThrow("names: a word occurs twice");
    expect(bad({ sentences: 4, sentenses: 4 })).toThrow("sentenses");
    expect(bad({ sentences: { min: 4, max: 3 } })).toThrow("min must not be greater than max");
    expect(bad({ lengthTokens: 8, sentenceTokens: 9 })).toThrow("raise lengthTokens");
  });

  it("take words that are written as one text", () => {
    const text = rulerTasks({ sentences: 6, names: "ann\n  bo cy ", values: "x y" });
    expect(text).toEqual(rulerTasks({ sentences: 6, names: ["ann", "bo", "cy"], values: ["x", "y"] }));
    expect(() => rulerTasks({ sentences: 6, names: "ann" })).toThrow("names");
    expect(() => rulerTasks({ sentences: 6, names: "ann ann" })).toThrow("occurs twice");
  });

  it("take words from the settings", () => {
    const [task] = rulerTasks({
      kind: "two-hop",
      sentences: 6,
      names: 4,
      values: ["x", "y"],
      places: ["p", "q"],
      likesSentence: " {name} eats {value}!",
    });
    expect(task?.metadata["evidence"]).toMatch(/^ (anna|ben|cora|dan) eats [xy]!$/);
    expect(task?.metadata["secondEvidence"]).toMatch(/^ [xy] from [pq]\.$/);
  });
});

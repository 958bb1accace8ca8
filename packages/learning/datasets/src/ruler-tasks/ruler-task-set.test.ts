import { describe, expect, it } from "vitest";
import type { StreamedTask } from "../tasks/streamed-task.js";
import type { RulerTasksInput } from "./config.js";
import { fileText, generatedProse } from "./haystack-text.js";
import { rulerQuestions } from "./questions.js";
import { type RulerTaskSources, rulerTaskSet } from "./ruler-task-set.js";
import { rulerTaskFacts, rulerTaskNames } from "./task-name.js";

/** As the tokenizers of today's models cut: a word with its space in pieces of six, digits one by one. */
const countTokens = (text: string): number =>
  (text.match(/[^\s\p{L}\p{N}]?\p{L}{1,6}|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*| ?\p{L}{1,6}|\s+/gu) ?? []).length;

const paragraph = (title: string, text: string) => ({ title, text });
const article = (a: number) =>
  Array.from({ length: 8 }, (_, i) =>
    paragraph(
      `Article ${a}`,
      `Paragraph ${i} of article ${a} says that house ${a}${i} was built in ${1800 + 10 * a + i}.`,
    ),
  );
const squad = rulerQuestions(
  "squad",
  [0, 1, 2].flatMap((a) =>
    article(a).map((own, i) => ({
      id: `q${a}-${i}`,
      question: `When was house ${a}${i} built?`,
      answers: [`${1800 + 10 * a + i}`],
      paragraphs: [own],
      gold: [0],
      facts: {},
    })),
  ),
);

const hotpotqa = rulerQuestions(
  "hotpotqa",
  Array.from({ length: 12 }, (_, i) => ({
    id: `h${i}`,
    question: `Where does the maker of thing ${i} live?`,
    answers: [`Town ${i}`],
    paragraphs: [
      ...Array.from({ length: 8 }, (_, j) =>
        paragraph(`Other ${i} ${j}`, `Other ${i} ${j} is a thing. It is old.`),
      ),
      paragraph(`Thing ${i}`, `Thing ${i} was made by Maker ${i}.`),
      paragraph(`Maker ${i}`, `Maker ${i} lives in Town ${i}.`),
    ],
    gold: [8, 9],
    facts: {},
  })),
);

const sources = { countTokens, squad, hotpotqa };
const textOf = (task: StreamedTask) => [...task.pieces()].join("");
const make = (config: RulerTasksInput, more: RulerTaskSources = {}) => [
  ...rulerTaskSet(config, { ...sources, ...more }),
];
const one = (config: RulerTasksInput, more: RulerTaskSources = {}) => make(config, more)[0] as StreamedTask;
const occurrences = (text: string, part: string) => text.split(part).length - 1;

describe("rulerTaskSet", () => {
  it.each(rulerTaskNames)(
    "fits %s to the length, counted over the whole text, and wastes little of it",
    (name) => {
      // Ten words thirty times each need more than 1024 tokens.
      for (const length of name === "cwe" ? [4096, 20_000] : [1024, 4096, 20_000]) {
        const task = one({ tasks: [name], lengths: [length], seed: 3 });
        const { metadata } = task;
        const tokens = countTokens(textOf(task));
        expect(tokens).toBe(metadata["lengthTokens"]);
        const used = tokens + countTokens(task.question) + rulerTaskFacts(name).replyTokens;
        expect(used).toBeLessThanOrEqual(length);
        // The largest units are the needles with UUIDs; the words of cwe come three at a time.
        expect(used).toBeGreaterThan(length - 120);
        expect(metadata).toMatchObject({ task: name, length, dataSource: "ruler" });
        expect(metadata["rule"]).toBe(name.startsWith("qa") ? "part" : "all");
      }
    },
  );

  it("gives the same tasks for the same seed, others for another, and task i whatever the count", () => {
    const config: RulerTasksInput = { lengths: [4096], seed: 5 };
    const documents = (input: RulerTasksInput) =>
      make(input).map((task) => [task.id, task.question, textOf(task)]);
    const few = documents({ ...config, count: 1 });
    const many = documents({ ...config, count: 2 });
    expect(many).toHaveLength(26);
    expect(many.filter((_, i) => i % 2 === 0)).toEqual(few);
    expect(new Set(many.map(([id]) => id)).size).toBe(26);
    expect(new Set(many.map(([, , text]) => text)).size).toBe(26);
    const other = documents({ ...config, seed: 6 });
    expect(other.some(([, , text], i) => text === few[i]?.[2])).toBe(false);
    const task = one(config);
    expect(textOf(task)).toBe(textOf(task));
  });

  it.each(rulerTaskNames.filter((name) => name.startsWith("niah")))(
    "hides each needle of %s once, with keys and values of its own",
    (name) => {
      const facts = rulerTaskFacts(name);
      if (facts.family !== "needle") throw new Error("niah tasks are needle tasks");
      for (const task of make({ tasks: [name], lengths: [4096], count: 5 })) {
        const text = textOf(task);
        const needles = [...text.matchAll(/A hidden (\w+) of (\S+) is (\S+)\./g)].map(
          ([, what, key, value]) => ({
            what,
            key: key as string,
            value: value as string,
          }),
        );
        expect(new Set(needles.map(({ value }) => value)).size).toBe(needles.length);
        const asked = needles.filter(({ key }) => task.question.includes(key));
        expect(asked.map(({ value }) => value).sort()).toEqual([...task.answers].sort());
        expect(task.answers).toHaveLength(facts.valueCount * facts.askedCount);
        if (facts.haystack === "needles") expect(needles.length).toBeGreaterThan(20);
        else
          expect(needles).toHaveLength(
            facts.askedCount * facts.valueCount + facts.keyCount - facts.askedCount,
          );
        const shape =
          facts.values === "uuids"
            ? /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
            : /^[1-9]\d{6}$/;
        for (const answer of task.answers) expect(answer).toMatch(shape);
      }
    },
  );

  it("tells at what depth the asked needles stand, and spreads them over the whole document", () => {
    const tasks = make({ tasks: ["niah_multikey_1"], lengths: [2048], count: 300 });
    const depths = tasks.map((task) => {
      const text = textOf(task);
      const measured = (100 * text.indexOf(`is ${task.answers[0]}.`)) / text.length;
      expect(Math.abs(measured - Number(task.metadata["depthPercent"]))).toBeLessThan(6);
      return Number(task.metadata["depthPercent"]);
    });
    const fifths = [0, 0, 0, 0, 0];
    for (const depth of depths)
      fifths[Math.min(4, Math.floor(depth / 20))] = (fifths[Math.min(4, Math.floor(depth / 20))] ?? 0) + 1;
    // Chi-square with 4 degrees of freedom, 1 in 10,000.
    expect(fifths.reduce((sum, n) => sum + (n - 60) ** 2 / 60, 0)).toBeLessThan(23.5);
    const several = one({ tasks: ["niah_multivalue"], lengths: [2048] });
    expect(String(several.metadata["depthPercents"]).split(" ")).toHaveLength(4);
    const fixed = one({ tasks: ["niah_single_2"], lengths: [2048], depthPercent: 100 });
    expect(textOf(fixed).endsWith(`is ${fixed.answers[0]}.`)).toBe(true);
  });

  it("tracks variables: every answer follows from the asked number, and no other variable does", () => {
    for (const variables of [{}, { chains: 3, hops: 2 }]) {
      for (const task of make({ tasks: ["vt"], lengths: [2048], count: 5, variables })) {
        const value = /value (\d{5})/.exec(task.question)?.[1];
        const known = new Map<string, string | undefined>();
        for (const [, name, what] of textOf(task).matchAll(/Let (\w+) = (\w+)\./g)) {
          known.set(name as string, known.get(what as string) ?? what);
        }
        const holders = [...known].filter(([, held]) => held === value).map(([name]) => name);
        expect(holders).toEqual(task.answers);
        expect(known.size).toBe(variables.chains === 3 ? 9 : 5);
      }
    }
  });

  it("lists common words thirty times and all others three times, numbered without a gap", () => {
    const task = one({ tasks: ["cwe"], lengths: [4096] });
    const entries = [...textOf(task).matchAll(/(\d+)\. (\w+)/g)];
    expect(entries.map(([, number]) => Number(number))).toEqual(entries.map((_, i) => i + 1));
    const counts = new Map<string, number>();
    for (const [, , word] of entries) counts.set(word as string, (counts.get(word as string) ?? 0) + 1);
    expect(
      [...counts]
        .filter(([, count]) => count === 30)
        .map(([word]) => word)
        .sort(),
    ).toEqual([...task.answers].sort());
    expect([...counts.values()].filter((count) => count === 3)).toHaveLength(counts.size - 10);
  });

  it("gives frequent words by Zipf's law, noise first", () => {
    const task = one({ tasks: ["fwe"], lengths: [8192] });
    const words = textOf(task).split(" ");
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const ranked = [...counts].sort((a, b) => b[1] - a[1]);
    expect(ranked.slice(0, 4).map(([word]) => word)).toEqual(["...", ...task.answers]);
    const [first, , third] = ranked.map(([, count]) => count);
    expect((first ?? 0) / (third ?? 1)).toBeCloseTo(9, 0);
    expect((first ?? 0) / words.length).toBeCloseTo(0.62, 1);
  });

  it("asks questions about numbered documents: the right ones at places drawn anew, related ones before others", () => {
    const tasks = make({ tasks: ["qa_2"], lengths: [1024], count: 12 });
    expect(new Set(tasks.map((task) => task.metadata["sourceId"])).size).toBe(12);
    for (const task of tasks) {
      const text = textOf(task);
      const numbers = [...text.matchAll(/Document (\d+):\n/g)].map(([, number]) => Number(number));
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
      expect(numbers).toHaveLength(Number(task.metadata["numDocs"]));
      const id = String(task.metadata["sourceId"]).slice(1);
      for (const part of [
        `Thing ${id} was made`,
        `Maker ${id} lives`,
        `Other ${id} 0 is`,
        `Other ${id} 7 is`,
      ]) {
        expect(occurrences(text, part)).toBe(1);
      }
      expect(text).toContain(task.answers[0]);
    }
    const places = new Set(tasks.map((task) => task.metadata["depthPercents"]));
    expect(places.size).toBeGreaterThan(8);
  });

  it("fills a long document from a small pool again and again, never with the question's own documents", () => {
    const task = one({ tasks: ["qa_1"], lengths: [16_384] });
    const text = textOf(task);
    const house = /house (\d+)/.exec(task.question)?.[1];
    expect(task.answers).toHaveLength(1);
    expect(occurrences(text, `house ${house} was built in ${task.answers[0]}`)).toBe(1);
    expect(Number(task.metadata["numDocs"])).toBeGreaterThan(squad.documents.length * 5);
  });

  it("hides needles in a text of the user's, at ends of sentences and lines", () => {
    const play =
      "First Citizen:\nBefore we proceed, hear me speak.\n\nAll:\nSpeak, speak. You are all resolved?\n";
    const essay = fileText("play.txt", play);
    expect(essay.sentences.map((sentence) => sentence.trim())).toEqual([
      "First Citizen:",
      "Before we proceed, hear me speak.",
      "All:",
      "Speak, speak.",
      "You are all resolved?",
    ]);
    for (const task of make({ tasks: ["niah_single_2"], lengths: [1024], count: 20 }, { essay })) {
      expect(task.metadata["haystack"]).toBe("play.txt");
      expect(textOf(task)).toMatch(/(?:^|[.:?]\s+)A hidden number of \S+ is \d{7}\.(?:\s+[A-Z]|\s*$)/);
    }
    expect(() => fileText("empty.txt", " \n ")).toThrow(/"empty.txt" contains no sentence/);
  });

  it("has prose of its own without digits, different enough to be no mere repetition", () => {
    const { sentences } = generatedProse();
    expect(new Set(sentences).size).toBeGreaterThan(10_000);
    expect(sentences.some((sentence) => /\d/.test(sentence))).toBe(false);
    expect(generatedProse()).toBe(generatedProse());
  });

  it("refuses what cannot be: questions without a file, a length without room, unknown names", () => {
    const without = (config: RulerTasksInput) => () => [...rulerTaskSet(config, { countTokens })];
    expect(without({ tasks: ["qa_1"], lengths: [1024] })).toThrow(
      /squad: is missing, but qa_1 needs a file of questions/,
    );
    expect(without({ tasks: ["qa_2"], lengths: [1024] })).toThrow(
      /hotpotqa: is missing, but qa_2 needs a file/,
    );
    expect(without({ tasks: ["cwe"], lengths: [512] })).toThrow(/too few for cwe; raise lengths/);
    expect(without({ tasks: ["vt"], lengths: [12] })).toThrow(/lengths/);
    expect(without({ tasks: ["vt"], lengths: [1024], commonWords: { commonRepeats: 3 } })).toThrow(
      /commonRepeats must be greater than otherRepeats/,
    );
  });
});

describe("rulerQuestions", () => {
  it("relates paragraphs of an article, and takes titles into HotpotQA's documents only", () => {
    expect(squad.documents).toHaveLength(24);
    expect(squad.questions[9]).toMatchObject({ gold: [9], related: [8, 10, 11, 12, 13, 14, 15] });
    expect(squad.documents[0]).toMatch(/^Paragraph 0/);
    expect(hotpotqa.documents[8]).toBe("Thing 0\nThing 0 was made by Maker 0.");
    expect(hotpotqa.questions[0]).toMatchObject({ gold: [8, 9], related: [0, 1, 2, 3, 4, 5, 6, 7] });
  });
});

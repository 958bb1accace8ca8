import { difficultyOf, worldByName } from "@palimpsest/datasets";
import { Bm25Index, hashedEmbedder } from "@palimpsest/memory";
import { expect, it } from "vitest";
import { certifyWorld } from "./certificate.js";
import { namesOnly } from "./one-of.js";
import { SentenceSearch } from "./sentence-search.js";

const certified = (world: string, length: number, questions: number) =>
  certifyWorld({
    world,
    length,
    questions,
    seed: 1,
    split: "test",
    difficulty: difficultyOf(worldByName(world), {}),
    embedder: hashedEmbedder(),
  });

it("searches sentences as an index of all of them would, equal ones counted each, the last of them first", () => {
  const world = worldByName("carry");
  const one = world.open({ ...world.defaults, seed: 3, split: "dev", index: 0, length: 900 });
  const texts = [...one.sentences()].map(({ text }) => text);
  expect(new Set(texts).size).toBeLessThan(texts.length);
  const search = new SentenceSearch(texts);
  const scores = new Map(
    Bm25Index.of(texts)
      .search(one.question, texts.length)
      .map((hit) => [hit.index, hit.score]),
  );
  const found = search.byWords(one.question, 60);
  expect(found).toHaveLength(60);
  const expected = [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, 60);
  expect(found.map((place) => scores.get(place)?.toFixed(9))).toEqual(
    expected.map(([, score]) => score.toFixed(9)),
  );
  expect(found).toEqual(expected.map(([place]) => place));
  expect(found.map((place) => search.textAt(place))).toEqual(found.map((place) => texts[place]));
  const later = search.byWords(one.question, 30, new Set(found));
  expect(later).toEqual(
    [...scores]
      .sort((a, b) => b[1] - a[1] || b[0] - a[0])
      .slice(60, 90)
      .map(([place]) => place),
  );
});

it("takes an answer that names the right candidate and no other", () => {
  const right = { candidates: ["Ada", "Ben", "nobody"], answer: "Ada", asked: ["Ben"] };
  expect(namesOnly("It is ada.", right)).toBe(true);
  expect(namesOnly("Ben asked, and Ada has it", right)).toBe(true);
  expect(namesOnly("Ada or nobody", right)).toBe(false);
  expect(namesOnly("Adam", right)).toBe(false);
  expect(namesOnly("", right)).toBe(false);
  const list = { candidates: ["coin", "key", "twenty", "twenty-one"], answer: "coin and key" };
  expect(namesOnly("the key, the coin", list)).toBe(true);
  expect(namesOnly("coin", list)).toBe(false);
  expect(namesOnly("twenty-one", { ...list, answer: "twenty" })).toBe(false);
});

it('takes digits for their word, and no "one" beside another number', () => {
  const right = { candidates: ["zero", "one", "twelve", "twenty-one"], answer: "twelve", aliases: ["12"] };
  expect(namesOnly("12", right)).toBe(true);
  expect(namesOnly("There are twelve people, and no one left.", right)).toBe(true);
  expect(namesOnly("12 or 13", right)).toBe(false);
  expect(namesOnly("112", right)).toBe(false);
  expect(namesOnly("one", { ...right, answer: "one", aliases: ["1"] })).toBe(true);
  expect(namesOnly("I do not know", { candidates: ["Ada"], answer: "" })).toBe(false);
});

it("calls a world open whose question shares its words with the fact", async () => {
  const certificate = await certified("babi-4", 64, 500);
  const share = (name: string) => certificate.rows.find((row) => row.name === name)?.share ?? Number.NaN;
  expect(share("oracle, forward")).toBe(1);
  expect(share("oracle, backward")).toBe(1);
  expect(share("every candidate")).toBe(0);
  expect(share("BM25, 50")).toBeGreaterThan(0.9);
  expect(certificate.verdict).toBe("open");
});

it("calls nothing certain of few questions, and gives the same certificate again", async () => {
  const [a, b] = [await certified("trade", 300, 20), await certified("trade", 300, 20)];
  expect(a).toEqual(b);
  expect(a.verdict).toBe("uncertain");
  expect(a.evidence).toBeGreaterThan(5);
  expect(Math.max(...a.rows.flatMap(({ sentences = 0 }) => sentences))).toBeLessThanOrEqual(60);
});

it("calls sums of hundreds of sentences closed, since no sixty of them hold the answer", async () => {
  const certificate = await certified("count", 256, 500);
  expect(certificate.verdict).toBe("closed");
});

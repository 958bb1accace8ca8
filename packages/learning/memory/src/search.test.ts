import { describe, expect, it } from "vitest";
import { Bm25Index, DenseIndex, hashedEmbedder } from "./index.js";
import { numbers } from "./records.fixture.js";
import { cosine, unitVector } from "./unit-vector.js";
import { VectorTable } from "./vector-table.js";

const texts = [
  "Caroline painted a sunrise over the lake in 2022.",
  "Melanie ran a charity race for mental health.",
  "Caroline joined a support group last week.",
  "The lake is cold in winter, and the lake is deep.",
  "",
];

describe("Bm25Index", () => {
  it("ranks by rare words first and leaves out texts without any of the query's words", () => {
    const index = Bm25Index.of(texts);
    expect(index.search("Who painted the lake?", 5).map(({ index: i }) => i)).toEqual([0, 3]);
    expect(index.search("zebra", 5)).toEqual([]);
    expect(index.search("", 5)).toEqual([]);
  });

  it("scores as Okapi BM25 does by its formula", () => {
    const index = Bm25Index.of(["a b", "a a c d", "e"]);
    const idf = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
    const mean = 7 / 3;
    const score = (count: number, length: number) =>
      (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / mean));
    expect(index.search("a", 5)).toEqual([
      { index: 1, score: expect.closeTo(score(2, 4), 12) },
      { index: 0, score: expect.closeTo(score(1, 2), 12) },
    ]);
  });

  it("finds words of any script and any case", () => {
    const index = Bm25Index.of(["北京 的 首都", "España es grande", "ﬁne print"]);
    expect(index.search("ESPAÑA", 1)[0]?.index).toBe(1);
    expect(index.search("北京", 1)[0]?.index).toBe(0);
    expect(index.search("fine", 1)[0]?.index).toBe(2);
  });
});

describe("DenseIndex with the hashed embedder", () => {
  it("finds a text by words of the same stem", async () => {
    const index = await DenseIndex.of(texts, hashedEmbedder());
    expect((await index.search("Caroline's painting of sunrises", 1))[0]?.index).toBe(0);
    expect(await index.search("", 3)).toEqual([]);
  });

  it("gives the same vectors in every run", async () => {
    const [vector] = await hashedEmbedder({ dimensions: 8 }).embed(["one word"]);
    expect([...(vector as Float32Array)].map((x) => Number(x.toFixed(4)))).toMatchInlineSnapshot(`
      [
        -0.6733,
        0,
        0,
        0.2,
        -0.5367,
        -0.4,
        1.2,
        1,
      ]
    `);
  });

  it("refuses a number of dimensions that makes no vector", () => {
    expect(() => hashedEmbedder({ dimensions: 2.5 })).toThrow(
      "dimensions: must be a whole number; it is 2.5",
    );
  });
});

describe("VectorTable", () => {
  it("gives the same cosines with the SIMD kernel as without it", () => {
    const random = numbers(7);
    const vectors = Array.from({ length: 3000 }, () =>
      unitVector(Float64Array.from({ length: 96 }, () => random() - 0.5)),
    );
    const query = vectors[5] as Int16Array;
    const found = new Float64Array(3000);
    new VectorTable(vectors, 96).addCosines(found, query, 1);
    const wanted = vectors.map((vector) => Math.max(0, cosine(vector, query)));
    expect([...found]).toEqual(wanted.map((value) => expect.closeTo(value, 12)));
    expect(found[5]).toBeCloseTo(1, 3);
    expect(wanted.filter((value) => value > 0).length).toBeGreaterThan(1000);
  });

  it("does not overflow on equal vectors of thousands of numbers", () => {
    const vector = unitVector(Float64Array.from({ length: 4096 }, () => 1));
    const found = new Float64Array(2048);
    new VectorTable(
      Array.from({ length: 2048 }, () => vector),
      4096,
    ).addCosines(found, vector, 1);
    expect(found[0]).toBeCloseTo(1, 2);
  });
});

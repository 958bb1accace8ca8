import { Bm25Index } from "@palimpsest/memory";
import { describe, expect, it } from "vitest";
import { languages } from "../../../../../test/support/languages.js";
import { countWords, patternOf, saysFact } from "../microscope/fact-match.js";
import { splitPassages } from "./passages.js";

/** About as tokenizers count: one per character of scripts without spaces, four letters of others. */
const countTokens = (text: string) => {
  const wide =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
};

describe.each(languages)("texts in $name", (language) => {
  const { people, things, places, others } = language;
  const kept = people.flatMap((who, i) =>
    things.map((what, j) => ({ who, what, where: places[(i + j) % places.length] ?? "" })),
  );
  const facts = kept.map(({ who, what, where }) => language.record(who, what, where));
  const among = (fact: string, i: number) => `${others[i % 3]} ${fact} ${others[(i + 1) % 3]}`;
  const texts = facts.map(among);
  /** Counts the questions whose record is among the first five. */
  const found = (index: Bm25Index, isRight: (hit: number, record: number) => boolean) =>
    kept.filter(({ who, what }, record) =>
      index.search(language.question(who, what), 5).some(({ index: hit }) => isRight(hit, record)),
    ).length;

  it("search finds the right one of 100 records among the first five", () => {
    expect(found(Bm25Index.of(facts), (hit, record) => hit === record)).toBeGreaterThanOrEqual(98);
    expect(found(Bm25Index.of(texts), (hit, record) => hit === record)).toBeGreaterThanOrEqual(98);
  });

  it("a document without paragraphs becomes passages that fit, and the right one is found", () => {
    const passages = splitPassages(texts.join(" "), { maxTokens: 80, countTokens });
    for (const { text } of passages) expect(countTokens(text)).toBeLessThanOrEqual(80);
    const index = Bm25Index.of(passages.map(({ text }) => text));
    const right = found(index, (hit, record) => passages[hit]?.text.includes(facts[record] ?? "") === true);
    expect(right).toBeGreaterThanOrEqual(95);
    const long = splitPassages(texts.join("").replace(/[\p{P}\s]/gu, ""), { maxTokens: 80, countTokens });
    for (const { text } of long) expect(countTokens(text)).toBeLessThanOrEqual(80);
  });

  it("the microscope tells which memories say a fact, also in another order", () => {
    const counts = countWords(facts, texts);
    const rephrased = kept.map(({ who, what, where }, i) => among(language.rephrased(who, what, where), i));
    for (const memories of [texts, rephrased]) {
      const sample = facts.flatMap((fact, i) => (i % 4 === 0 ? [{ fact, i }] : []));
      const told = sample.filter(({ fact, i }) => {
        const pattern = patternOf(fact, counts);
        const saying = memories.flatMap((memory, at) => (saysFact(memory, pattern) === "no" ? [] : [at]));
        return saying.includes(i) && saying.length <= 5;
      });
      expect(told.length).toBeGreaterThanOrEqual(0.9 * sample.length);
    }
  });
});

describe("names and compounds that a dictionary splits", () => {
  const worlds = {
    Japanese: {
      people: ["佐藤健一", "鈴木美咲", "高橋大輔", "田中由美", "伊藤翔太", "渡辺恵子"],
      things: ["懐中電灯", "鍵束", "自転車", "辞書"],
      places: ["廊下", "屋根裏", "事務所"],
      record: (who: string, what: string, where: string) =>
        `${who}さんの${what}は昨日から${where}に置いてある。`,
    },
    Thai: {
      people: ["สมชาย", "มาลี", "ประเสริฐ", "วิภา", "ธนากร", "กัญญา"],
      things: ["กล้องถ่ายรูป", "พวงกุญแจ", "เครื่องบดกาแฟ", "เสื้อโค้ต"],
      places: ["ที่ทางเดิน", "ในสำนักงาน", "ใต้บันได"],
      record: (who: string, what: string, where: string) => `${what}ของ${who}อยู่${where}ตั้งแต่เมื่อวาน`,
    },
  };
  it.each(Object.entries(worlds))("do not stand for the whole fact in %s", (_, world) => {
    const { people, things, places, record } = world;
    const facts = people.flatMap((who, i) =>
      things.map((what, j) => record(who, what, places[(i + j) % places.length] ?? "")),
    );
    const counts = countWords(facts, facts);
    const alone = facts.filter((fact) => {
      const pattern = patternOf(fact, counts);
      const saying = facts.filter((memory) => saysFact(memory, pattern) !== "no");
      return saying.includes(fact) && saying.length <= 2;
    });
    expect(alone.length).toBeGreaterThanOrEqual(0.9 * facts.length);
  });
});

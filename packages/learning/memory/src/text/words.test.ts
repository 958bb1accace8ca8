import { describe, expect, it } from "vitest";
import { fittingSentences, sentences } from "./sentences.js";
import { foldText, orderedWords, words } from "./words.js";

describe("words", () => {
  it("are those of two spellings alike: case, accents, vowel marks, forms", () => {
    const alike = [
      ["cafe", "Café", "CAFE\u0301"],
      ["strasse", "Straße", "STRASSE"],
      ["lodz", "Łódź"],
      ["ελενη", "Ελένη", "ΕΛΈΝΗ"],
      ["ελλας", "Ελλάς", "ΕΛΛΑΣ"],
      ["елка", "Ёлка"],
      ["سلام", "سَلَام", "ســلام"],
      ["שלום", "שָׁלוֹם"],
      ["ｶﾒﾗ", "カメラ"],
      ["istanbul", "İstanbul"],
      ["2023", "٢٠٢٣", "۲۰۲۳", "२०२३", "২০২৩", "๒๐๒๓", "２０２３"],
      ["كتاب علي", "کتاب علی", "كتاب على"],
      ["مدرسه", "مدرسة", "مدرسہ"],
    ];
    for (const spellings of alike)
      for (const one of spellings) expect(words(one)).toEqual(words(spellings[0] ?? ""));
    expect(foldText("йод")).toBe("йод");
  });

  it("of English are runs of letters and digits, as before folding", () => {
    expect(words("It's 3.5 km to Tom-Town.")).toEqual(["it", "s", "3", "5", "km", "to", "tom", "town"]);
  });

  it("keep the vowel signs of Indic scripts and join what is only shaped apart", () => {
    expect(words("हिन्दी में")).toEqual(["हिन्दी", "में"]);
    expect(words("می\u200cخواهم")).toEqual(words("میخواهم"));
    expect(words("میخواهم")).toHaveLength(1);
  });

  it("of a phrase are in every text that contains it, in scripts without spaces", () => {
    for (const [phrase, text] of [
      ["绿茶", "我们每天喝绿茶和水。"],
      ["茶", "绿茶"],
      ["カメラ", "私のカメラは赤い"],
      ["ห้องสมุด", "เขาอยู่ที่ห้องสมุดกลาง"],
      ["手机", "iPhone手机"],
    ] as const) {
      const all = new Set(words(text));
      for (const word of words(phrase)) expect(all, `${phrase}: ${word}`).toContain(word);
    }
  });

  it("of Korean with other endings have their pairs in common", () => {
    expect(words("녹차를")).toContain("녹차");
    expect(words("책을")).toContain("책");
  });

  it("in order are not within one another", () => {
    expect(orderedWords("田中さんは緑茶")).toEqual(["田中", "さん", "は", "緑茶"]);
    expect(orderedWords("Varn在1920年, Varn에서")).toEqual(["Varn", "在", "1920", "年", "Varn", "에서"]);
  });
});

describe("sentences", () => {
  it("end as each script ends them, and joined again are the text", () => {
    const texts: readonly (readonly [string, number])[] = [
      ["One. Two? “Three!” Four 3.5 km.", 4],
      ["一。二！「三？」四", 4],
      ["एक है। दो है। तीन", 3],
      ["واحد؟ اثنان. ثلاثة۔ أربعة", 4],
      ["ένα; δύο. τρία", 3],
      ["หนึ่งคน สองคน สามคน", 3],
      ["አንድ።ሁለት። ሦስት", 3],
      ["ក។ ខ។", 2],
    ];
    for (const [text, count] of texts) {
      expect(sentences(text), text).toHaveLength(count);
      expect(sentences(text).join("")).toBe(text);
    }
  });

  it("that are too long are split where it is least bad, and joined again are the text", () => {
    const fits = (piece: string) => piece.length <= 20;
    for (const text of [
      "灯".repeat(95),
      "word ".repeat(40),
      "a, b".repeat(30),
      `${"x".repeat(19)}😀${"y".repeat(30)}`,
    ]) {
      const pieces = fittingSentences(text, fits);
      expect(pieces.join("")).toBe(text);
      expect(pieces.every(fits)).toBe(true);
      for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
    }
  });
});

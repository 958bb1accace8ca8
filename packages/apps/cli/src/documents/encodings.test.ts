import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadTasks } from "@palimpsest/datasets";
import { readSnapshotFile } from "@palimpsest/memory";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { decodeText } from "./decode-text.js";
import { documentText } from "./document-text.js";
import { encodingOf } from "./encodings.js";

const texts = {
  English: "The keeper of the lighthouse wrote every evening what the sea had brought ashore.",
  Russian:
    "Смотритель маяка каждый вечер записывал, что море вынесло на берег. Утром приходила почтовая лодка.",
  Ukrainian:
    "Доглядач маяка щовечора занотовував, що море винесло на берег. Її човен приходив уранці, і ґанок був мокрий.",
  Greek: "Ο φύλακας του φάρου έγραφε κάθε βράδυ τι είχε φέρει η θάλασσα. Το πρωί ερχόταν η βάρκα.",
  Hebrew: "שומר המגדלור רשם בכל ערב מה הביא הים אל החוף. בבוקר הגיעה סירת הדואר.",
  Arabic: "كان حارس المنارة يكتب كل مساء ما حمله البحر إلى الشاطئ. وفي الصباح يأتي قارب البريد.",
  Thai: "ผู้ดูแลประภาคารเขียนทุกเย็นว่าทะเลพัดพาอะไรมาที่ชายฝั่ง ตอนเช้าเรือไปรษณีย์ก็มาถึง",
  Turkish:
    "Deniz fenerinin bekçisi her akşam denizin kıyıya ne getirdiğini yazardı. Sabahları posta teknesi gelirdi; çay hazırdı.",
  Polish:
    "Latarnik zapisywał każdego wieczoru, co morze wyrzuciło na brzeg. Rano przypływała łódź pocztowa, zawsze spóźniona.",
  German:
    "Der Leuchtturmwärter schrieb jeden Abend auf, was das Meer gebracht hatte. Früh kam das Postboot – „pünktlich“ für 5 €.",
  French:
    "Le gardien du phare écrivait chaque soir ce que la mer avait laissé sur la grève. À l’aube arrivait le bateau, très chargé.",
  Lithuanian:
    "Švyturio prižiūrėtojas kas vakarą užrašydavo, ką jūra išplovė į krantą. Rytą atplaukdavo pašto valtis, dažnai vėluodama.",
  Chinese: "灯塔看守人每天晚上记录大海冲上岸的东西。早晨邮船会到来，他把信交给船长。",
  Taiwanese: "燈塔看守人每天晚上記錄大海沖上岸的東西。早晨郵船會到來，他把信交給船長。",
  Japanese: "灯台守は毎晩、海が岸に運んできたものを書き留めた。朝になると郵便船がやって来て、手紙を渡した。",
  Korean: "등대지기는 매일 저녁 바다가 해안으로 실어 온 것을 적었다. 아침이면 우편선이 와서 편지를 건넸다.",
  Hangul: "펲시와 똠얌을 좋아하는 등대지기는 매일 저녁 바다가 실어 온 것을 적었다. 쌰쌰 소리가 났다.",
} as const;

const japaneseMail = Buffer.from(
  "GyRCRXRCZjxpJE9LaEhVISIzJCQsNF8kSzE/JHMkRyQtJD8kYiROJHI9cSQtTjEkYSQ/ISMbKEI=",
  "base64",
);
const bom = (encoding: string, text: string) => iconv.encode(`\ufeff${text}`, encoding);

interface Case {
  /** The encoding as pages name it. */
  readonly label: string;
  readonly language: keyof typeof texts;
  /** The bytes where iconv-lite does not encode the text as it is. */
  readonly bytes?: Buffer;
}

const cases: readonly Case[] = [
  { label: "utf-8", language: "Hangul" },
  { label: "windows-1252", language: "German" },
  {
    label: "iso-8859-1",
    language: "French",
    bytes: iconv.encode(texts.French.replace("’", "'"), "iso-8859-1"),
  },
  {
    label: "iso-8859-15",
    language: "German",
    bytes: iconv.encode(texts.German.replace(/[–„“]/g, "-"), "iso-8859-15"),
  },
  { label: "macintosh", language: "French", bytes: iconv.encode(texts.French, "macroman") },
  { label: "windows-1250", language: "Polish" },
  { label: "iso-8859-2", language: "Polish" },
  { label: "windows-1251", language: "Russian" },
  { label: "koi8-r", language: "Russian" },
  { label: "koi8-u", language: "Ukrainian" },
  { label: "iso-8859-5", language: "Russian" },
  { label: "ibm866", language: "Russian", bytes: iconv.encode(texts.Russian, "cp866") },
  { label: "windows-1253", language: "Greek" },
  { label: "iso-8859-7", language: "Greek" },
  { label: "windows-1254", language: "Turkish" },
  { label: "iso-8859-9", language: "Turkish" },
  { label: "windows-1255", language: "Hebrew" },
  { label: "windows-1256", language: "Arabic" },
  { label: "windows-1257", language: "Lithuanian" },
  { label: "windows-874", language: "Thai" },
  { label: "gbk", language: "Chinese" },
  { label: "gb18030", language: "Chinese" },
  { label: "big5", language: "Taiwanese" },
  { label: "shift_jis", language: "Japanese" },
  { label: "euc-jp", language: "Japanese" },
  { label: "iso-2022-jp", language: "Japanese", bytes: japaneseMail },
  { label: "euc-kr", language: "Korean" },
  { label: "cp949", language: "Hangul" },
  { label: "utf-16le", language: "Chinese" },
  { label: "utf-16be", language: "German" },
  { label: "utf-32le", language: "Russian", bytes: iconv.encode(texts.Russian, "utf-32le") },
];
const marked = [
  ["utf-8", bom("utf-8", texts.Korean), texts.Korean],
  ["utf-16le", bom("utf-16le", texts.Russian), texts.Russian],
  ["utf-16be", bom("utf-16be", texts.Japanese), texts.Japanese],
  ["utf-32le", iconv.encode(`\ufeff${texts.Thai}`, "utf-32le"), texts.Thai],
  ["utf-32be", iconv.encode(`\ufeff${texts.Arabic}`, "utf-32be"), texts.Arabic],
] as const;

const bytesOf = ({ label, language, bytes }: Case) => bytes ?? iconv.encode(texts[language], label);
const expected = ({ label, language, bytes }: Case) =>
  bytes === undefined ? texts[language] : encodingOf(label)?.decode(bytes);
const folder = fileFolder();
function put(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
const around = (before: string, bytes: Buffer, after: string) =>
  Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
const isUnicode = (label: string) => label.startsWith("utf");
const isWide = (label: string) => isUnicode(label) && label !== "utf-8";

describe("documents in every encoding", () => {
  it.each(cases)(
    "$label without a declaration: the right text, and a remark that it is a guess ($language)",
    async (one) => {
      const { text, remarks } = await documentText("note.txt", bytesOf(one));
      expect(text).toBe(expected(one));
      if (isUnicode(one.label)) expect(remarks).toEqual([]);
      else expect(remarks).toEqual([expect.stringMatching(/which is a guess; --encoding names another/)]);
    },
  );

  it.each(cases.filter(({ label }) => !isUnicode(label)))(
    "$label as a page, XHTML and XML declare it ($language)",
    async (one) => {
      const { label } = one;
      const bytes = bytesOf(one);
      const pages = [
        around(`<!-- saved -->\n<html><head><meta charset="${label}"></head><p>`, bytes, "</p></html>"),
        around(
          `<HTML><head><META http-equiv=Content-Type content="text/html; charset=${label}"><body><p>`,
          bytes,
          "",
        ),
        around(`<?xml version="1.0" encoding='${label}'?>\n<html><body><p>`, bytes, "</p></body></html>"),
      ];
      for (const page of pages)
        expect(await documentText("page", page)).toEqual({ text: expected(one), remarks: [] });
      const xml = await documentText(
        "a.xml",
        around(`<?xml version="1.0" encoding="${label}"?><a>`, bytes, "</a>"),
      );
      expect(xml.text).toContain(expected(one));
    },
  );

  it.each(cases.filter(({ label }) => !isUnicode(label)))(
    "$label as the user names it ($language)",
    async (one) => {
      const named = encodingOf(one.label);
      expect(await decodeText(bytesOf(one), { named })).toEqual({ text: expected(one) });
    },
  );

  it.each(["utf-16le", "utf-16be", "utf-32le", "utf-32be"])(
    "%s without a mark: English as the user names it, and a page whose name does not say that it is one",
    async (label) => {
      const english = iconv.encode(texts.English, label);
      expect(await decodeText(english, { named: encodingOf(label) })).toEqual({ text: texts.English });
      const page = iconv.encode(`<!doctype html>\n<html><body><p>${texts.Russian}</p></body></html>`, label);
      expect(await documentText("page", page)).toEqual({ text: texts.Russian, remarks: [] });
    },
  );

  it.each(["big5", "big5-hkscs"])("%s has the characters of Hong Kong and of ETEN", async (label) => {
    const bytes = Buffer.from("9def9df89df6c7fa8857a4e5", "hex");
    expect(await decodeText(bytes, { named: encodingOf(label) })).toEqual({ text: "嘅啲喺ЖÁ文" });
  });

  it.each(marked)("%s with its mark, as text and as a page", async (label, bytes, text) => {
    expect(await documentText("note", bytes)).toEqual({ text, remarks: [] });
    const page = iconv.encode(`\ufeff<!doctype html><p>${text}`, label);
    expect(await documentText("note", page)).toEqual({ text, remarks: [] });
  });
});

/** A file that is in the encoding as a whole, as an editor or an export writes it, with the text where the lines say TEXT. */
function fileOf(one: Case, lines: string): Buffer {
  if (isWide(one.label)) return iconv.encode(lines.replaceAll("TEXT", texts[one.language]), one.label);
  const [first = "", ...others] = lines.split("TEXT");
  return Buffer.concat([Buffer.from(first), ...others.flatMap((line) => [bytesOf(one), Buffer.from(line)])]);
}

describe("tables in every encoding", () => {
  const table = ["id;name;amount", '1;"TEXT";12,50', "2;TEXT;-3,00", "3;;0,00", ""].join("\r\n");

  it.each(cases)("$label: a CSV file is a document with its text, and no data ($language)", async (one) => {
    const { text, remarks, ...others } = await documentText("table.csv", fileOf(one, table));
    expect(text.replaceAll("\r\n", "\n")).toBe(
      table.replaceAll("TEXT", expected(one) ?? "").replaceAll("\r\n", "\n"),
    );
    expect(others).toEqual({});
    if (isUnicode(one.label)) expect(remarks).toEqual([]);
    else expect(remarks).toEqual([expect.stringMatching(/which is a guess; --encoding names another/)]);
    const reading = loadTasks(put(`${one.label}.csv`, fileOf(one, table)));
    await expect(reading).rejects.toThrow(
      isWide(one.label)
        ? `is ${one.label.toUpperCase()}; convert the file to UTF-8`
        : "is CSV; convert it to JSON lines",
    );
  });
});

describe("data and memory files in every encoding", () => {
  it.each(cases)(
    "$label: read if it is UTF-8, else refused with the place and the way out ($language)",
    async (one) => {
      const { label } = one;
      const row = '{"id":"a","question":"q","answers":["TEXT"],"document":"d"}\n';
      const reading = loadTasks(put(`${label}.jsonl`, fileOf(one, row)));
      if (label === "utf-8") {
        expect((await reading).tasks[0]?.answers).toEqual([texts[one.language]]);
      } else if (isWide(label)) {
        await expect(reading).rejects.toThrow(`is ${label.toUpperCase()}; convert the file to UTF-8`);
      } else {
        const { tasks, badRows } = await reading;
        expect(tasks).toEqual([]);
        expect(badRows).toEqual([
          {
            line: 1,
            reason: "not-utf8",
            detail: expect.stringMatching(
              /^(byte \d+ \(0x[0-9A-F]{2}\) is not UTF-8|is written in ISO-2022-JP); convert .* iconv -f/,
            ),
          },
        ]);
      }
    },
  );

  it.each(cases)(
    "$label in a memory file: read if it is UTF-8, else refused by its line ($language)",
    async (one) => {
      const { label } = one;
      const record = { id: "a", content: "TEXT", memoryType: "semantic", provenance: [], metadata: {} };
      const lines = `{"format":"palimpsest-memory","version":1}\n${JSON.stringify(record)}\n`;
      const reading = readSnapshotFile(put(`${label}.memory`, fileOf(one, lines)));
      if (label === "utf-8") expect((await reading)[0]?.content).toBe(texts[one.language]);
      else if (isWide(label))
        await expect(reading).rejects.toThrow(`:1: is ${label.toUpperCase()}; convert the file to UTF-8`);
      else
        await expect(reading).rejects.toThrow(
          /DAMAGED.*:2: (byte \d+ .* is not UTF-8|is written in ISO-2022-JP); convert/,
        );
    },
  );
});

describe("decodeText", () => {
  it("reads plain ASCII without a remark, whatever it looks like", async () => {
    for (const text of ["a+b-c", "x = ~{foo~}", "tel. +4912345-678", texts.English])
      expect(await decodeText(Buffer.from(text))).toEqual({ text });
  });

  it("refuses by name what it cannot read, and what is no text", async () => {
    const hz = "~{5FK~?4JXHKC?LlMmIO<GB<4s:#3eIO065D6+Nw~}";
    expect(await decodeText(Buffer.from(hz))).toEqual({
      refused: expect.stringMatching(/written in HZ, .*iconv/),
    });
    const korean = Buffer.from("\x1b$)C\x0e1W4k\x0f");
    expect(await decodeText(korean)).toEqual({ refused: expect.stringContaining("ISO-2022-KR") });
    const noise = Uint8Array.from({ length: 400 }, (_, i) => (i * 7919 + (i % 13)) % 256);
    expect(await decodeText(noise)).toEqual({ refused: expect.stringContaining("binary") });
  });

  const short = {
    "windows-1252": [
      "L’élève a mangé des œufs à Noël, où est-il allé ?",
      "C’est l’été, et l’hôtel est fermé.",
      "Il n’a pas été à l’école.",
      "Où va l’argent ? Ça dépend.",
      "It’s a café — isn’t it?",
      "He said “no” and left…",
      "The price is €20 – not £15.",
      "Er sagte: „Schön, daß du da bist“.",
      "Perché l’hai detto? È così.",
      "La città è più bella.",
      "A mãe está à mesa.",
      "Men han såg inte ön på våren.",
    ],
    "windows-1250": ["Příliš žluťoučký kůň úpěl ďábelské ódy.", "Děkuji, to je vše.", "Dziękuję, już idę."],
    "windows-1251": ["Мама мыла раму.", "Он купил iPhone за 500 рублей."],
    "windows-1253": ["Η γάτα κοιμάται."],
  } as const;
  it.each(Object.entries(short))(
    "guesses one sentence in %s, once and repeated",
    async (label, sentences) => {
      for (const sentence of sentences)
        for (const text of [sentence, `${sentence}\n`.repeat(10)])
          expect(await decodeText(iconv.encode(text, label))).toMatchObject({ text });
    },
  );

  it("leaves out zero bytes in a text, and does not take it for UTF-16", async () => {
    const text = "Anna lives in Paris. She drinks tea and reads books.";
    for (const at of [0, 7, 8, text.length])
      for (const zeros of [1, 2, 4096]) {
        const bytes = around(text.slice(0, at), Buffer.alloc(zeros), text.slice(at));
        const remark = expect.stringContaining(zeros === 1 ? "a zero byte" : `${zeros} zero bytes`);
        expect(await decodeText(bytes)).toEqual({ text, remark });
      }
    const utf16 = iconv.encode("人一灯塔\n", "utf-16le");
    expect(await decodeText(utf16)).toEqual({ text: "人一灯塔\n" });
    expect(await decodeText(Buffer.alloc(40))).toHaveProperty("refused");
  });

  it.each([
    '<meta name="description" content="How to set charset=koi8-r in vim"><meta charset="windows-1251">',
    "<script>const page = '<meta charset=koi8-r>';</script><meta charset=windows-1251>",
    '<title><meta charset=koi8-r></title><META CONTENT="text/html; charset=windows-1251" http-equiv=content-type>',
    '<meta data-charset="koi8-r" charset = windows-1251 />',
  ])("finds the encoding of a page where the page declares it: %s", async (head) => {
    const page = around(`<html><head>${head}</head><p>`, iconv.encode(texts.Russian, "win1251"), "");
    expect((await documentText("p.html", page)).text).toContain(texts.Russian);
  });

  it("does not believe what is ASCII that it is UTF-16 or UTF-32", async () => {
    for (const label of ["utf-32", "utf-32be", "utf-16", "ucs-2"])
      for (const text of ["Hello world", "Où ?"]) {
        const page = Buffer.from(`<html><meta charset="${label}"><body>${text}`);
        expect(await documentText("p.html", page)).toEqual({ text, remarks: [] });
        const xml = `<?xml version="1.0" encoding="${label}"?><a>${text}</a>`;
        expect(await documentText("a.xml", Buffer.from(xml))).toEqual({ text: xml, remarks: [] });
      }
  });

  it("prefers UTF-8 to a declaration that is wrong, and says where a page is malformed", async () => {
    const utf8 = around('<html><meta charset="iso-8859-1"><p>', Buffer.from(texts.French), "");
    expect((await documentText("p.html", utf8)).text).toBe(texts.French);
    const broken = Buffer.concat([
      Buffer.from(texts.Russian),
      Buffer.from([0xff]),
      Buffer.from(texts.Russian),
    ]);
    const { text, remarks } = await documentText("p.txt", broken);
    expect(text).toBe(`${texts.Russian}\ufffd${texts.Russian}`);
    expect(remarks).toEqual([expect.stringContaining("with one malformed character")]);
  });

  it.each([
    ["windows-1252", texts.German, "Größe ändern für Müller."],
    ["windows-1251", texts.Russian, "Утром приходила почтовая лодка."],
  ])(
    "reads single lines that are not UTF-8 in a file that is, and says that it is a guess: %s",
    async (label, text, line) => {
      const file = around(`${text}\n`.repeat(3), iconv.encode(line, label), `\n${text}`);
      const read = await decodeText(file);
      expect(read).toEqual({
        text: `${`${text}\n`.repeat(3)}${line}\n${text}`,
        remark: expect.stringMatching(
          `^is UTF-8, with one line that is read as ${label.replace("w", "W")}, which is a guess; --encoding names`,
        ),
      });
    },
  );

  it("leaves a character malformed that is cut off at the end, and joins halves of characters", async () => {
    const cut = around(`${texts.Russian}\nThe end`, Buffer.from([0xc3]), "");
    expect(await decodeText(cut)).toEqual({
      text: `${texts.Russian}\nThe end\ufffd`,
      remark: expect.stringContaining("one malformed character"),
    });
    const halves = around("Party ", Buffer.from([0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]), " in Zürich.\n");
    for (const file of [halves, Buffer.concat(Array(20).fill(halves))])
      expect(await decodeText(file)).toEqual({
        text: "Party \u{1f600} in Zürich.\n".repeat(file.length / halves.length),
      });
  });

  it("says what may be Chinese in HZ", async () => {
    const text = "Hello ~{VPND~} world";
    expect(await decodeText(Buffer.from(text))).toEqual({ text, remark: expect.stringContaining("in HZ") });
  });

  it("knows labels as pages, Python and iconv write them", () => {
    for (const label of ["Latin-1", "latin1", "cp1252", "ASCII", "ISO_8859-1", "ANSI_X3.4-1968"])
      expect(encodingOf(label)?.name, label).toBe("Windows-1252");
    for (const label of ["SJIS", "x-sjis", "cp932", "Windows-31J", "ms_kanji"])
      expect(encodingOf(label)?.name, label).toBe("Shift_JIS");
    for (const label of ["cp949", "ks_c_5601-1987", "UHC"])
      expect(encodingOf(label)?.name, label).toBe("EUC-KR");
    for (const label of ["iso2022_jp", "x_mac_cyrillic", "cp65001"])
      expect(encodingOf(label), label).toBeDefined();
    for (const label of ["cp437", "cp850", "mac-greek", "iso-8859-16", "utf_16", "UTF8"])
      expect(encodingOf(label), label).toBeDefined();
    for (const label of ["", "klingon", "hex", "base64"]) expect(encodingOf(label), label).toBeUndefined();
  });
});

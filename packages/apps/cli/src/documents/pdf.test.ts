import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { documentText } from "./document-text.js";
import { pdfOf, pdfOfPages } from "./testing.js";

const read = async (bytes: Uint8Array) => await documentText("a.pdf", bytes);
const at = (x: number, y: number, text: string) => `1 0 0 1 ${x} ${y} Tm (${text}) Tj`;
const page = (...shown: readonly string[]) => ({ content: `BT /F1 12 Tf ${shown.join(" ")} ET` });

describe("PDF files", () => {
  const font = (name: string, map: string, ordering: string) =>
    `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /${map} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /DW 1000 /FontDescriptor << /Type /FontDescriptor /FontName /${name} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >> >>] >>`;
  it.each([
    ["STSong-Light", "GBK-EUC-H", "GB1", "gbk", "灯塔看守人的船"],
    ["STSong-Light", "UniGB-UCS2-H", "GB1", "utf-16be", "灯塔看守人的船"],
    ["MSung-Light", "ETen-B5-H", "CNS1", "big5", "燈塔看守人的船"],
    ["HeiseiMin-W3", "90ms-RKSJ-H", "Japan1", "shift_jis", "灯台守の船"],
    ["HeiseiKakuGo-W5", "UniJIS-UCS2-H", "Japan1", "utf-16be", "灯台守の船"],
    ["HYSMyeongJo-Medium", "KSCms-UHC-H", "Korea1", "cp949", "등대지기의 배"],
  ])("are read with the predefined character maps: %s, %s", async (name, map, ordering, encoding, text) => {
    const hex = iconv.encode(text, encoding).toString("hex");
    const bytes = pdfOfPages(
      [{ content: `BT /F1 12 Tf 72 700 Td <${hex}> Tj ET` }],
      font(name, map, ordering),
    );
    expect((await read(bytes)).text).toBe(text);
  });

  it("are read with the values of their forms", async () => {
    const field = (rest: string) => `<< /Type /Annot /Subtype /Widget /Rect [0 0 90 20] /F 4 ${rest} >>`;
    const fields = [
      field("/FT /Tx /T (applicant) /V (Mia Sund)"),
      field("/FT /Tx /T (city) /TU (Home town) /V (Oslo)"),
      field("/FT /Tx /T (empty)"),
      field("/FT /Ch /T (ship) /V (Ferry) /Opt [(Ferry) (Tug)]"),
      field("/FT /Btn /T (agreed) /V /Yes /AS /Yes /AP << /N << /Yes null /Off null >> >>"),
      field("/FT /Btn /T (member) /V /Off /AS /Off /AP << /N << /Yes null /Off null >> >>"),
    ];
    const named = fields.map((_, index) => `${6 + index} 0 R`).join(" ");
    const form = { ...page(at(72, 700, "Application")), entries: `/Annots [${named}]` };
    const bytes = pdfOfPages([form], undefined, fields, `/AcroForm << /Fields [${named}] >>`);
    expect((await read(bytes)).text.split("\n")).toEqual([
      "Application",
      "applicant: Mia Sund",
      "Home town: Oslo",
      "ship: Ferry",
      "agreed: yes",
    ]);
  });

  it("name their pages without text, and are refused where none has any", async () => {
    const { text, skipped } = await read(pdfOf([["one"], [], [], ["four"], [], ["six"]]));
    expect(text).toMatch(/one\s+four\s+six/);
    expect(skipped).toEqual(["3 of 6 pages have no readable text, as in a scan: 2-3, 5"]);
    expect((await read(pdfOf([["one"], []]))).skipped).toEqual([
      "1 of 2 pages has no readable text, as in a scan: 2",
    ]);
    await expect(read(pdfOf([[], []]))).rejects.toThrow("its 2 pages have no readable text");
  });

  it("are read with what readers have written on them", async () => {
    const notes = [
      "<< /Type /Annot /Subtype /FreeText /Rect [50 500 300 520] /Contents (Approved 17 May) /DA (/F1 12 Tf) >>",
      "<< /Type /Annot /Subtype /Text /Rect [50 400 70 420] /Contents (Wrong sum) >>",
      "<< /Type /Annot /Subtype /Link /Rect [50 300 70 320] /Contents (no) >>",
    ];
    const noted = { ...page(at(72, 700, "Bill")), entries: "/Annots [6 0 R 7 0 R 8 0 R]" };
    const { text } = await read(pdfOfPages([noted], undefined, notes));
    expect(text).toBe("Bill\nApproved 17 May\nNote: Wrong sum");
  });

  it("have no readable text where their fonts do not name the characters", async () => {
    const shapes =
      "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs << >> /Encoding << /Type /Encoding /Differences [1 /g1 /g2 /g3] >> /FirstChar 1 /LastChar 3 /Widths [1 1 1] >>";
    const unnamed = { content: "BT /F1 12 Tf 50 700 Td <010203> Tj ET" };
    await expect(read(pdfOfPages([unnamed], shapes))).rejects.toThrow("its page has no readable text");
    const noted = { ...unnamed, entries: "/Annots [8 0 R]" };
    const note = "<< /Type /Annot /Subtype /FreeText /Rect [0 0 9 9] /Contents (Paid) /DA (/F1 12 Tf) >>";
    const { text, skipped } = await read(pdfOfPages([unnamed, noted], shapes, [note]));
    expect(text).toBe("Paid");
    expect(skipped).toEqual(["1 of 2 pages has no readable text, as in a scan: 1"]);
  });

  it.each([
    ["/Collection << /View /D >>", /is a PDF portfolio, .* save them with a PDF reader/],
    ["/AcroForm << /Fields [] /XFA 6 0 R >>", /is an XFA form, .* print it to PDF/],
    ["/AcroForm << /Fields [7 0 R] /XFA 6 0 R >>", /is an XFA form, .* print it to PDF/],
  ])("are refused by name where they only stand for something else: %s", async (catalog, why) => {
    const field = "<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] /FT /Tx /T (a) >>";
    const form = "<< /Length 12 >>\nstream\n<xdp></xdp> \nendstream";
    const bytes = pdfOfPages([page(at(72, 700, "Please wait..."))], undefined, [form, field], catalog);
    await expect(read(bytes)).rejects.toThrow(why);
  });

  const left = Array.from({ length: 8 }, (_, i) => `left line ${i} is about the harbour and`);
  const right = Array.from({ length: 8 }, (_, i) => `right line ${i} tells of ships that`);
  const rows = left.flatMap((line, i) => [at(60, 600 - 14 * i, line), at(320, 600 - 14 * i, right[i] ?? "")]);

  it("are read column by column where the file has them line by line", async () => {
    const heading = at(
      60,
      660,
      "A heading that is as wide as both of the columns of this page together are, no less",
    );
    const { text } = await read(pdfOfPages([page(heading, ...rows)]));
    expect(text.split("\n").slice(1)).toEqual([...left, ...right]);
  });

  it("are read once where their letters are drawn twice to look bold", async () => {
    const bold = [
      at(72, 700, "Invoice 17"),
      at(72.4, 700, "Invoice 17"),
      at(72, 680, "no no"),
      at(110, 680, "no no"),
    ];
    expect((await read(pdfOfPages([page(...bold)]))).text).toMatch(/^Invoice 17\n+no no\s*no no$/);
  });

  it("are read as they are where they have a table, or their columns one after another", async () => {
    const cells = left.flatMap((_, i) => [
      at(60, 600 - 14 * i, `name ${i}`),
      at(320, 600 - 14 * i, `${i} kg`),
    ]);
    const table = (await read(pdfOfPages([page(...cells)]))).text;
    expect(table.indexOf("0 kg")).toBeLessThan(table.indexOf("name 1"));
    const inOrder = [...rows.filter((_, i) => i % 2 === 0), ...rows.filter((_, i) => i % 2 === 1)];
    const { text } = await read(pdfOfPages([page(...inOrder)]));
    expect(text.indexOf("left line 7")).toBeLessThan(text.indexOf("right line 0"));
  });
});

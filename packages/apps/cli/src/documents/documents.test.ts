import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import iconv from "iconv-lite";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { htmlText } from "./html-text.js";
import { readDocuments } from "./read-documents.js";
import { pdfOf } from "./testing.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const mostBytes = 2 ** 20;
const read = (source: string, most = mostBytes) => readDocuments(source, { mostBytes: most });
function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

describe("htmlText", () => {
  it("gives what a person reads: title, headings, lists, tables, code, and no scripts", () => {
    const page = `<!doctype html><head><title>The  harbour</title><script>alert("x")</script><style>p{}</style></head>
      <body><h2>Ships &amp; men</h2><p>Tom   likes
      <b>figs</b>.<br>Mia likes tea.</p><ul><li>one</li><li>two</li></ul>
      <table><tr><th>who</th><th>what</th></tr><tr><td>sam</td><td>milk</td></tr></table>
      <pre>a
  b</pre><img src=x alt="a ship"><noscript>no</noscript></body>`;
    expect(htmlText(page)).toBe(
      [
        "# The harbour",
        "",
        "## Ships & men",
        "",
        "Tom likes figs.",
        "Mia likes tea.",
        "",
        "- one",
        "",
        "- two",
        "",
        "| who | what",
        "",
        "| sam | milk",
        "",
        "a",
        "  b",
        "",
        "a ship",
      ].join("\n"),
    );
  });

  it.each([
    ["10<sup>23</sup> <p>note<sup> <a>12</a></sup>, 1<sup>st</sup>", "10^23\n\nnote ^12, 1st"],
    ["now <del>10</del><s>11</s><strike>12</strike><ins>13</ins>", "now 13"],
    ["<ol start=5><li>a<ul><li>b</ul><li>c<li value=9>d<li>e</ol>", "5. a\n\n- b\n\n6. c\n\n9. d\n\n10. e"],
    ["<title>T</title><frameset><noframes><p>no</p></noframes></frameset>", "# T"],
    ["<noscript><p>figs</p></noscript><div id=root></div>", "figs"],
    ["<title>App</title><body><noscript>figs</noscript><div id=root></div>", "# App\n\nfigs"],
    [
      "<math><msup><mi>m</mi><mn>2</mn></msup><mo>=</mo><mfrac><mn>3</mn><mn>4</mn></mfrac><mo>+</mo><mn>5</mn></math>",
      "m^2=3/4+5",
    ],
    ['<?xml version="1.0"?><html xmlns="x"><head><title/></head><body><img src="a"/></body></html>', ""],
  ])("reads %s", (page, text) => {
    expect(htmlText(page)).toBe(text);
  });

  it("reads what begins with many comments", () => {
    expect(htmlText(`${"<!---->".repeat(500)}figs`)).toBe("figs");
  });
});

describe("readDocuments", () => {
  it("reads text and Markdown as they are, with whatever mark or code they were written in", async () => {
    expect((await read(put("a.md", "# Tom\n\nlikes figs"))).text).toBe("# Tom\n\nlikes figs");
    expect((await read(put("bom.txt", "\ufefffigs"))).text).toBe("figs");
    expect((await read(put("wide.txt", Buffer.from("\ufefffigs", "utf16le")))).text).toBe("figs");
    expect((await read(put("old.txt", Buffer.from("caf\u00e9", "latin1")))).text).toBe("café");
  });

  it("reads HTML and PDF by their names or by how they begin", async () => {
    expect((await read(put("a.htm", "<p>figs"))).text).toBe("figs");
    expect((await read(put("page", "<!DOCTYPE html><p>figs"))).text).toBe("figs");
    const pdf = pdfOf([["Tom likes figs (ripe).", "Mia likes tea."], ["Page two."]]);
    const text = "Tom likes figs (ripe).\nMia likes tea.\n\nPage two.";
    expect((await read(put("a.pdf", pdf))).text).toBe(text);
    expect((await read(put("unnamed", pdf))).text).toBe(text);
  });

  it("reads standard input", async () => {
    const from = (content: string | Uint8Array) =>
      readDocuments("-", { mostBytes }, Readable.from([Buffer.from(content)]));
    expect(await from("figs")).toEqual({
      text: "figs",
      sources: ["standard input"],
      skipped: [],
      remarks: [],
    });
    expect((await from('\ufeff<!-- saved --><?xml version="1.0"?>\n<head><title>T</title>figs')).text).toBe(
      "# T\n\nfigs",
    );
    expect((await from(pdfOf([["figs"]]))).text).toBe("figs");
    await expect(from(" \n")).rejects.toThrow(/standard input: is empty/);
  });

  it("reads a folder in the order of its names, and says what it passed over", async () => {
    put("b.txt", "second");
    put("a/inner.md", "first");
    put("c.pdf", pdfOf([["third"]]));
    put("empty.txt", "");
    put("image.png", Uint8Array.from([137, 80, 78, 71, 0, 1]));
    put("broken.pdf", "%PDF-1.4 nonsense");
    put(".hidden", "no");
    symlinkSync(folder, join(folder, "loop"));
    put("node_modules/x/readme.md", "no");
    put("old.txt", Buffer.from("caf\u00e9 in a harbour", "latin1"));
    const { text, sources, skipped, remarks } = await read(folder);
    expect(remarks).toEqual([expect.stringMatching(/^old\.txt: is read as Windows-1252, which is a guess/)]);
    expect(text).toBe(
      "File: a/inner.md\n\nfirst\n\n\nFile: b.txt\n\nsecond\n\n\nFile: c.pdf\n\nthird\n\n\nFile: old.txt\n\ncafé in a harbour\n",
    );
    expect(sources).toEqual(["a/inner.md", "b.txt", "c.pdf", "old.txt"].map((name) => join(folder, name)));
    expect(skipped).toEqual([
      "loop: is a symbolic link; give the file to which it points",
      `${folder}: 1 hidden file or folder; name it to read it`,
      `${folder}: 1 folder node_modules; name it to read it`,
      expect.stringMatching(/^broken\.pdf: is not a readable PDF/),
      "empty.txt: is empty",
      "image.png: is a PNG image; give its text, for example from OCR",
    ]);
  });

  it("reads chapters in natural order, in every locale", async () => {
    for (const name of [
      "chapter 10.txt",
      "chapter 2.txt",
      "chapter 1.txt",
      "Chapter 3.txt",
      "part 2/a",
      "part 10/a",
    ])
      put(name, name);
    const { sources } = await read(folder);
    expect(sources.map((path) => path.slice(folder.length + 1))).toEqual([
      "chapter 1.txt",
      "chapter 2.txt",
      "Chapter 3.txt",
      "chapter 10.txt",
      "part 2/a",
      "part 10/a",
    ]);
  });

  it("recognizes pages by more than their first bytes, and leaves texts about pages alone", async () => {
    const pages = [
      "<!-- saved from url=(0020)http://example.org/ -->\n<html><p>figs",
      '<?xml version="1.0" encoding="utf-8"?>\n<!-- a --><!DOCTYPE html PUBLIC "x"><html><p>figs</p></html>',
      "\ufeff\n\n  <!DOCTYPE html>\n<p>figs",
      "<head></head><p>figs",
      "<body class=a>figs",
      "<title></title>\n<p>figs",
    ];
    for (const page of pages) {
      expect((await read(put("page", page))).text, page).toBe("figs");
      expect((await read(put("page", Buffer.from(`\ufeff${page}`, "utf16le")))).text, page).toBe("figs");
    }
    for (const text of ["<html> is a tag", "# <body>", "a <p>figs"])
      expect((await read(put("page.md", text))).text).toBe(text);
  });

  it("reads notebooks, mail, DOCX and EPUB without what people do not read", async () => {
    const cells = [
      { cell_type: "markdown", source: ["# Figs\n", "are ripe"] },
      { cell_type: "code", source: "1 + 1", outputs: [{ data: { "image/png": "AAAA", "text/plain": "2" } }] },
    ];
    const notebook = await read(put("a.ipynb", JSON.stringify({ nbformat: 4, cells })));
    expect(notebook.text).toBe("# Figs\nare ripe\n\n```\n1 + 1\n```\n\n2");
    const outputs = [
      { output_type: "error", ename: "KeyError", evalue: "'figs'", traceback: ["tb"] },
      { data: { "text/html": ["<table><tr><td>77", "</td></tr></table>"] } },
    ];
    const failed = [{ cell_type: "code", source: "x", outputs }];
    expect((await read(put("b.ipynb", JSON.stringify({ nbformat: 4, cells: failed })))).text).toBe(
      "```\nx\n```\n\nKeyError: 'figs'\n\n| 77",
    );
    const mail = [
      "From: Mia <mia@example.org>",
      "To: tom@example.org",
      "Subject: =?utf-8?b?ZsOtZ3M=?=",
      "Content-Type: text/plain; charset=koi8-r",
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from([0xcd, 0xc9, 0xd2]).toString("base64"),
    ].join("\r\n");
    expect((await read(put("a.eml", mail))).text).toBe(
      "From: Mia <mia@example.org>\nTo: tom@example.org\nSubject: fígs\n\nмир\n",
    );
    const silent = Buffer.from(
      "From: mia@example.org\r\nTo: tom@example.org\r\nSubject: figs\r\n\r\n\xcd\xc9\xd2\r\n",
      "latin1",
    );
    const named = await readDocuments(put("silent.eml", silent), { mostBytes, encoding: "koi8-r" });
    expect(named.text).toBe("From: mia@example.org\nTo: tom@example.org\nSubject: figs\n\nмир\n");
    const word = `<w:document><w:body><w:p><w:r><w:t>Tom </w:t></w:r><w:del><w:t>no</w:t></w:del><w:r><w:t>likes &amp; eats</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>figs</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`;
    const docx = zipSync({ "[Content_Types].xml": strToU8("<x/>"), "word/document.xml": strToU8(word) });
    expect((await read(put("a.docx", docx))).text).toBe("Tom likes & eats\n\nfigs\n\n |");
    const epub = zipSync({
      mimetype: strToU8("application/epub+zip"),
      "META-INF/container.xml": strToU8(
        '<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>',
      ),
      "OEBPS/b.opf": strToU8(
        '<package><manifest><item id="two" href="c2.xhtml"/><item id="one" href="c%201.xhtml"/></manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>',
      ),
      "OEBPS/c 1.xhtml": strToU8("<html><body><h1>One</h1></body></html>"),
      "OEBPS/c2.xhtml": strToU8("<html><body><p>Two</p></body></html>"),
    });
    expect((await read(put("book", epub))).text).toBe("# One\n\nTwo");
  });

  const wordOf = (body: string) => `<w:document><w:body>${body}</w:body></w:document>`;
  const docxOf = (body: string, others: Readonly<Record<string, string>> = {}) =>
    zipSync({
      "word/document.xml": strToU8(wordOf(body)),
      ...Object.fromEntries(Object.entries(others).map(([path, part]) => [path, strToU8(part)])),
    });
  const run = (content: string) => `<w:p><w:r>${content}</w:r></w:p>`;
  function epubOf(
    chapters: readonly (readonly [string, string | Uint8Array])[],
    missing: readonly string[] = [],
  ) {
    const hrefs = [...missing, ...chapters.map(([href]) => href)];
    const items = hrefs.map((href, index) => `<item id="c${index}" href="${href}"/>`);
    const spine = hrefs.map((_, index) => `<itemref idref="c${index}"/>`);
    return zipSync({
      "META-INF/container.xml": strToU8('<container><rootfile full-path="b.opf"/></container>'),
      "b.opf": strToU8(
        `<package><manifest>${items.join("")}</manifest><spine>${spine.join("")}</spine></package>`,
      ),
      ...Object.fromEntries(
        chapters.map(([href, page]) => [href, typeof page === "string" ? strToU8(page) : page]),
      ),
    });
  }
  const xhtml = (head: string, body: string, encoding = "utf-8") =>
    `<?xml version="1.0" encoding="${encoding}"?><html xmlns="http://www.w3.org/1999/xhtml"><head>${head}</head><body>${body}</body></html>`;

  it("reads what comes after an empty element of XML in DOCX files and in XHTML", async () => {
    const word = docxOf(
      run("<w:t>Address:</w:t><w:br/><w:t>12 Harbour Street</w:t><w:cr/><w:t>Oslo</w:t>") +
        `<w:p><w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr><w:r><w:t>Name</w:t><w:tab/><w:t>Mia</w:t></w:r></w:p>` +
        run("<w:t/><w:t>non</w:t><w:noBreakHyphen/><w:t>stop</w:t>"),
    );
    expect((await read(put("a.docx", word))).text).toBe(
      "Address:\n12 Harbour Street\nOslo\n\nName\tMia\n\nnon-stop",
    );
    const pages = [
      xhtml("<title/>", "<p>figs &eacute;</p>"),
      xhtml('<script src="a.js"/><style/>', "<p>figs é</p>"),
      xhtml("", '<iframe src="x"/><p>figs <textarea/><![CDATA[&eacute;]]></p>').replace("[&eacute;]", "[é]"),
    ];
    for (const page of pages) {
      expect((await read(put("a.xhtml", page))).text, page).toBe("figs é");
      expect((await read(put("page", page))).text, page).toBe("figs é");
      expect((await read(put("a.epub", epubOf([["a.xhtml", page]])))).text, page).toBe("figs é");
    }
  });

  it("decodes the parts of DOCX and EPUB files as they declare it, and names the parts that are missing", async () => {
    const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
    const word = zipSync({
      "word/document.xml": utf16(
        `<?xml version="1.0" encoding="UTF-16"?>${wordOf(run("<w:t>Zürich</w:t>"))}`,
      ),
    });
    expect((await read(put("a.docx", word))).text).toBe("Zürich");
    const czech = iconv.encode(xhtml("", "Žluťoučký", "windows-1250"), "windows-1250");
    const book = epubOf(
      [
        ["a.xhtml", utf16(xhtml("", "Zürich", "utf-16"))],
        ["b.xhtml", czech],
        ["c%20d.xhtml", xhtml("", "figs")],
      ],
      ["50%25off%.xhtml"],
    );
    const { text, skipped } = await read(put("a.epub", book));
    expect(text).toBe("Zürich\n\nŽluťoučký\n\nfigs");
    expect(skipped).toEqual([expect.stringMatching(/a\.epub: the chapter 50%25off%\.xhtml is missing$/)]);
  });

  it("reads headers, notes, comments and formulas of a DOCX file, from wherever its main part is", async () => {
    const body =
      run("<w:t>10</w:t>") +
      `<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>23</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>` +
      "<w:p><m:oMath><m:r><m:t>E=mc</m:t></m:r><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:oMath></w:p>" +
      "<w:p><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>";
    const word = zipSync({
      "_rels/.rels": strToU8(
        '<Relationships><Relationship Type="http://x/officeDocument" Target="/word/document2.xml"/></Relationships>',
      ),
      "word/document2.xml": strToU8(wordOf(body)),
      "word/header1.xml": strToU8(wordOf(run("<w:t>Contract 4711</w:t>"))),
      "word/header2.xml": strToU8(wordOf(run("<w:t>Contract 4711</w:t>"))),
      "word/footnotes.xml": strToU8(
        `<w:footnotes><w:footnote w:type="separator" w:id="0"/><w:footnote w:id="2">${run("<w:t>See p. 9</w:t>")}</w:footnote></w:footnotes>`,
      ),
      "word/comments.xml": strToU8(
        `<w:comments><w:comment w:author="Mia">${run("<w:t>No</w:t>")}</w:comment></w:comments>`,
      ),
    });
    expect((await read(put("a.docx", word))).text).toBe(
      "10\n\n10^23[2]\n\nE=mc^2\n\n[2] See p. 9\n\nPage header: Contract 4711\n\nComments:\n\nMia: No",
    );
  });

  it("reads what is nested deeper than calls may be", async () => {
    const nested = (name: string, depth: number) =>
      `${`<${name}>`.repeat(depth)}figs${`</${name}>`.repeat(depth)}`;
    expect((await read(put("a.html", `<html><body>${nested("div", 30_000)}`))).text).toBe("figs");
    expect((await read(put("b.html", `<html><body>${"<font>".repeat(6000)}figs`))).text).toBe("figs");
    expect((await read(put("c.xhtml", xhtml("", nested("span", 20_000))))).text).toBe("figs");
    const word = docxOf(`<w:p>${nested("w:r", 20_000).replace("figs", "<w:t>figs</w:t>")}</w:p>`);
    expect((await read(put("a.docx", word))).text).toBe("figs");
  });

  it("passes over a file whose reading fails, and names it", async () => {
    put("a.txt", "first");
    const nested = Array.from(
      { length: 400 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}`,
    );
    put("b.eml", `From: a@b.c\nTo: b@c.d\nSubject: x\n${nested.join("\n")}\n`);
    const { text, skipped } = await read(folder);
    expect(text).toBe("File: a.txt\n\nfirst\n");
    expect(skipped).toEqual([
      expect.stringMatching(/^b\.eml: cannot be read \(.*nesting.*\); save it as text$/),
    ]);
  });

  it("reads all messages of a mailbox in order, each as it says how it is encoded", async () => {
    const message = (number: number, head: string, body: string) =>
      `From a@b.c Thu Jan  1 00:00:00 2026\nFrom: Mia <a@b.c>\nTo: b@c.d\nSubject: Mail ${number}\n${head}\n${body}\n\n`;
    const box =
      message(
        1,
        "Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: 8bit\n",
        "\xcd\xc9\xd2",
      ) +
      message(2, "", "caf\xe9 in a harbour\n>From here on\nFrom 2026 on: x") +
      message(3, "", "figs");
    const { text, remarks } = await read(put("a.mbox", Buffer.from(box, "latin1")));
    const headers = (number: number) => `From: Mia <a@b.c>\nTo: b@c.d\nSubject: Mail ${number}`;
    expect(text).toBe(
      `${headers(1)}\n\nмир\n\n${headers(2)}\n\ncafé in a harbour\nFrom here on\nFrom 2026 on: x\n\n${headers(3)}\n\nfigs\n`,
    );
    expect(remarks).toEqual([expect.stringContaining("a guess")]);
  });

  it("names what is no document and what to do with it", async () => {
    const zip = zipSync({ "xl/workbook.xml": strToU8("<x/>") });
    const files: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
      ["a.txt.gz", gzipSync("figs"), /is gzip; unpack it with gunzip/],
      ["a.rtf", "{\\rtf1 figs}", /is RTF; save it as text/],
      ["a.xlsx", zip, /is XLSX; export it/],
      ["a.zip", zipSync({ "a.txt": strToU8("figs") }), /is a ZIP archive; unpack it/],
      [
        "a.odt",
        zipSync({ mimetype: strToU8("x"), "content.xml": strToU8("<x/>") }),
        /is OpenDocument; save it as/,
      ],
      ["a.pages", zipSync({ "Index/Document.iwa": strToU8("x") }), /is an iWork document .*; save it as/],
      [
        "a.webarchive",
        `bplist00${"\0".repeat(99)}figs`,
        /is a property list, such as a web archive.*; save it as/,
      ],
      ["a.heic", "\0\0\0\x18ftypheic", /is a HEIC image; give its text/],
      ["a.pdf", "<!doctype html><p>Sign in", /is an HTML page and not a PDF/],
      [
        "cut.docx",
        zipSync({ "word/document.xml": strToU8("<w:p/>") }).subarray(0, 60),
        /is a damaged archive/,
      ],
    ];
    for (const [name, content, why] of files) await expect(read(put(name, content))).rejects.toThrow(why);
    await expect(read("https://example.org/a.pdf")).rejects.toThrow(/is a URL, .* curl -L/);
    await expect(readDocuments(put("b.txt", "figs"), { mostBytes, encoding: "klingon" })).rejects.toThrow(
      /--encoding klingon: is not an encoding/,
    );
  });

  it("holds no file in memory that is larger than what may be read: a film beside the documents is told by its beginning", async () => {
    put("a.txt", "first");
    truncateSync(put("film.bin", ""), 2 ** 30);
    const before = process.resourceUsage().maxRSS;
    const { text, skipped } = await read(folder);
    expect(text).toBe("File: a.txt\n\nfirst\n");
    expect(skipped).toEqual(["film.bin: is a binary file; give text, Markdown, HTML or PDF"]);
    put("long.txt", "x".repeat(mostBytes + 1));
    await expect(read(folder)).rejects.toThrow(/exceed the 1\.0 MiB of --max-size;/);
    expect(process.resourceUsage().maxRSS - before, "KiB").toBeLessThan(256 * 1024);
  });

  // Root may read everything.
  it.skipIf(process.getuid?.() === 0)("passes over what it may not read, and names it", async () => {
    put("a.txt", "first");
    chmodSync(put("locked.txt", "no"), 0);
    mkdirSync(join(folder, "shut"), { mode: 0 });
    const { text, skipped } = await read(folder);
    expect(text).toBe("File: a.txt\n\nfirst\n");
    expect(skipped).toEqual(
      ["shut", "locked.txt"].map((name) => expect.stringMatching(`^${name}: cannot be read`)),
    );
    await expect(read(join(folder, "locked.txt"))).rejects.toThrow(
      /locked\.txt: cannot be read .*; give a file/,
    );
  });

  it("names the file, what is wrong with it and the fix", async () => {
    await expect(read(join(folder, "none.txt"))).rejects.toThrow(
      /none\.txt: does not exist; give a file, a folder/,
    );
    await expect(read(put("a.bin", Uint8Array.from([1, 0, 2])))).rejects.toThrow(
      /a\.bin: is a binary file; give/,
    );
    await expect(read(put("a.txt", " \n "))).rejects.toThrow(/a\.txt: is empty/);
    await expect(read(put("a.pdf", pdfOf([[]])))).rejects.toThrow(
      /a\.pdf: its page has no readable text, as in a scan/,
    );
    await expect(read(put("b.pdf", "%PDF-"))).rejects.toThrow(/b\.pdf: is not a readable PDF/);
    mkdirSync(join(folder, "empty"));
    await expect(read(join(folder, "empty"))).rejects.toThrow(/empty: contains no files/);
    await expect(read(put("big.txt", "x".repeat(3000)), 2048)).rejects.toThrow(
      /big\.txt: .* exceed the 0\.0 MiB of --max-size;/,
    );
  });
});

import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../test/support/temporary-folder.js";
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
    expect(await from("figs")).toEqual({ text: "figs", sources: ["standard input"], skipped: [] });
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
    const { text, sources, skipped } = await read(folder);
    expect(text).toBe("File: a/inner.md\n\nfirst\n\n\nFile: b.txt\n\nsecond\n\n\nFile: c.pdf\n\nthird\n");
    expect(sources).toEqual(["a/inner.md", "b.txt", "c.pdf"].map((name) => join(folder, name)));
    expect(skipped).toEqual([
      "loop: is a symbolic link; give the file to which it points",
      expect.stringMatching(/^broken\.pdf: is not a readable PDF/),
      "empty.txt: is empty",
      "image.png: is a binary file; give text, Markdown, HTML or PDF",
    ]);
  });

  it("holds no file in memory that is larger than what may be read: a film beside the documents is told by its beginning", async () => {
    put("a.txt", "first");
    truncateSync(put("film.bin", ""), 2 ** 30);
    const before = process.resourceUsage().maxRSS;
    const { text, skipped } = await read(folder);
    expect(text).toBe("File: a.txt\n\nfirst\n");
    expect(skipped).toEqual(["film.bin: is a binary file; give text, Markdown, HTML or PDF"]);
    put("long.txt", "x".repeat(mostBytes + 1));
    await expect(read(folder)).rejects.toThrow(/exceed --max-size 1\.0;/);
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
      /a\.pdf: its 1 pages have no text, as in a scan/,
    );
    await expect(read(put("b.pdf", "%PDF-"))).rejects.toThrow(/b\.pdf: is not a readable PDF/);
    mkdirSync(join(folder, "empty"));
    await expect(read(join(folder, "empty"))).rejects.toThrow(/empty: contains no files/);
    await expect(read(put("big.txt", "x".repeat(3000)), 2048)).rejects.toThrow(
      /big\.txt: .* exceed --max-size 0\.0;/,
    );
  });
});

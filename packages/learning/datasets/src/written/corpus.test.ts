import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { Corpora } from "./corpus.js";

const folder = fileFolder();

function file(name: string, value: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, "tasks.jsonl");
}

describe("Corpora", () => {
  it("puts a document together from paragraphs, texts or titled ones", async () => {
    const from = file("paragraphs.json", ["A\na", { title: "B", text: "b" }, "C\nc"]);
    expect(await new Corpora().document({ corpus: "paragraphs.json", indices: [2, 1] }, from)).toBe(
      "Document 1:\nC\nc\n\nDocument 2:\nB\nb",
    );
  });

  it("counts the distinct paragraphs of HotpotQA's rows in the order of code points", async () => {
    const rows = [
      {
        context: [
          ["\u{1F600}", ["x", " y"]],
          ["b", ["z"]],
        ],
      },
      { context: { title: ["\uFF5E", "b"], sentences: [["w"], ["z"]] } },
    ];
    const from = file("questions.json", rows);
    // Python: "b" < "\uff5e" < "\U0001f600"; by UTF-16 units the last two would change places.
    expect(await new Corpora().document({ corpus: "questions.json", indices: [0, 1, 2] }, from)).toBe(
      "Document 1:\nb\nz\n\nDocument 2:\n\uFF5E\nw\n\nDocument 3:\n\u{1F600}\nx y",
    );
  });

  it("refuses indices outside and files that are no corpus", async () => {
    const from = file("short.json", ["A\na"]);
    await expect(new Corpora().document({ corpus: "short.json", indices: [1] }, from)).rejects.toThrow(
      "index 1 is outside",
    );
    file("numbers.json", [1]);
    await expect(new Corpora().document({ corpus: "numbers.json", indices: [0] }, from)).rejects.toThrow(
      "row 1 is neither",
    );
    await expect(new Corpora().document({ corpus: "absent.json", indices: [0] }, from)).rejects.toMatchObject(
      {
        code: "UNREADABLE_FILE",
      },
    );
  });
});

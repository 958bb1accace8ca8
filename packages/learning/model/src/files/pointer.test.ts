import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { openGguf } from "../gguf/gguf-file.js";
import { loadConfig } from "./model-folder.js";
import { readText } from "./pointer.js";

const folder = fileFolder();
const pointers = [
  ["version https://git-lfs.github.com/spec/v1\r\noid sha256:4d7a2146\r\nsize 269060552\r\n", /git lfs pull/],
  ["/annex/objects/SHA256E-s26--4d7a.json\n", /git annex get/],
  ["../.git/annex/objects/x1/y2/MD5E-s26--4d7a/MD5E-s26--4d7a", /git annex get/],
] as const;

describe.each(pointers)("the pointer %j in place of", (text, message) => {
  it.each(["config.json", "a.gguf", "chat_template.jinja"])("%s is named with the way out", async (name) => {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    const reading =
      name === "config.json" ? loadConfig(folder) : name === "a.gguf" ? openGguf(path) : readText(path);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toMatchObject({ code: "FILE_DAMAGED" });
  });
});

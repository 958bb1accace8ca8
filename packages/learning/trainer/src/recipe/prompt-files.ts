import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { type Document, isMap } from "yaml";
import { z } from "zod";

/** Refers to a file in place of a text in settings. */
const fileSchema = z.strictObject({ file: z.string().min(1) });

/** Settings of a recipe whose texts may be read from files. */
const sections = [["agent", "settings"]];

/** Replaces `{ file: PATH }` with the file's text, so that the recipe means the same on every machine. */
export function settlePromptFiles(document: Document, baseDir: string): void {
  for (const section of sections) {
    const settings = document.getIn(section);
    if (!isMap(settings)) continue;
    for (const { key } of [...settings.items]) {
      const path = [...section, String(key)];
      const value = document.getIn(path);
      const named = isMap(value) ? fileSchema.safeParse(value.toJSON()) : undefined;
      if (named?.success) document.setIn(path, readPrompt(path.join("."), named.data.file, baseDir));
    }
  }
}

/** Does the same for parsed settings, at any depth. */
export function withPromptFiles(value: unknown, baseDir: string, field = "settings"): unknown {
  const named = fileSchema.safeParse(value);
  if (named.success) return readPrompt(field, named.data.file, baseDir);
  if (Array.isArray(value))
    return value.map((item, place) => withPromptFiles(item, baseDir, `${field}[${place}]`));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withPromptFiles(inner, baseDir, `${field}.${name}`)]),
  );
}

/** Returns the file's exact text: nothing is trimmed, and line endings are kept. */
function readPrompt(field: string, file: string, baseDir: string): string {
  const path = resolve(baseDir, file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (cause) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${field}.file: cannot read "${file}" (${reasonText(cause)}); give the path of a UTF-8 text file, relative to the recipe`,
      { cause },
    );
  }
}

import { readFile } from "node:fs/promises";
import { ModelError } from "../base/error.js";

const pointers = [
  [
    /^\ufeff?\s*version https:\/\/git-lfs\.github\.com\/spec\//,
    "is a Git LFS pointer of a few lines and not the content; run `git lfs pull` in the repository",
  ],
  [
    /^\s*(\S*\/)?(\.git\/)?annex\/objects\/\S/,
    "is a git-annex pointer of one line and not the content; run `git annex get` in the repository",
  ],
] as const;

/** Names the pointer that a repository without its large files has in a file's place, with what to do. */
export function pointerProblem(beginning: string): string | undefined {
  const found = pointers.find(([pattern]) => pattern.test(beginning))?.[1];
  return found === undefined ? undefined : `${found}, or fetch the model with \`palimpsest model download\``;
}

/**
 * Returns the text of a model's file.
 * @throws {ModelError} FILE_DAMAGED for a pointer in its place
 */
export async function readText(path: string): Promise<string> {
  const text = await readFile(path, "utf8");
  const pointer = pointerProblem(text.slice(0, 512));
  if (pointer !== undefined) throw new ModelError("FILE_DAMAGED", `${path} ${pointer}`);
  return text;
}

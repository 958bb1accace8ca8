// The links of documents: those that name a file or a heading that is not there.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root } from "./setup/paths.mjs";

const read = (file) => readFileSync(join(root, file), "utf8").replace(/^```[\s\S]*?^```$/gm, "");

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text) {
  const anchors = new Set();
  for (const [, heading] of text.matchAll(/^#+ (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    let free = anchor;
    for (let n = 1; anchors.has(free); n++) free = `${anchor}-${n}`;
    anchors.add(free);
  }
  return anchors;
}

/** @returns a line for each link of a tracked document that leads nowhere */
export function linkProblems() {
  const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
    .trimEnd()
    .split("\n");
  return documents.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([, path, anchor]) => {
      const target = path === "" ? file : normalize(join(dirname(file), path));
      if (!existsSync(join(root, target))) return [`${file}: ${target} does not exist`];
      if (anchor === undefined || !target.endsWith(".md") || anchorsOf(read(target)).has(anchor)) return [];
      return [`${file}: ${target} has no heading #${anchor}`];
    }),
  );
}

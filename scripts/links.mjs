// The links of documents, and the source files that reference pages name: those that are not there.
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

const tracked = () =>
  execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trimEnd().split("\n");

/** Pages that name files of the checkout; in guides and READMEs files are the reader's own. */
const namesFiles = /^docs\/[^/]+\.md$|^(AGENTS|CONTRIBUTING)\.md$/;

function fileProblems(files) {
  const sources = files.filter((file) => /\.(ts|tsx|mjs|proto)$/.test(file)).map((file) => `/${file}`);
  return files
    .filter((file) => namesFiles.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/`([\w./-]+\.(?:ts|tsx|mjs|proto))`/g)]
        .filter(([, name]) => !sources.some((source) => source.endsWith(`/${name}`)))
        .map(([, name]) => `${file}: ${name} is no file of the checkout`),
    );
}

/** @returns a line for each link of a tracked document that leads nowhere, and each file named that is not there */
export function linkProblems() {
  const files = tracked();
  const broken = files
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) =>
      [...read(file).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([, path, anchor]) => {
        const target = path === "" ? file : normalize(join(dirname(file), path));
        if (!existsSync(join(root, target))) return [`${file}: ${target} does not exist`];
        if (anchor === undefined || !target.endsWith(".md") || anchorsOf(read(target)).has(anchor)) return [];
        return [`${file}: ${target} has no heading #${anchor}`];
      }),
    );
  return [...broken, ...fileProblems(files)];
}

// The links of documents, and the source files that reference pages name: those that are not there.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { anchorOf } from "./anchors.mjs";
import { root } from "./setup/paths.mjs";
import { sitePages } from "./site/pages.mjs";
import { homeSource, indexSource, pathOf } from "./site/structure.mjs";

const fences = /^```[\s\S]*?^```$/gm;
const read = (file) => readFileSync(join(root, file), "utf8").replace(fences, "");

/** The anchors of a document's headings, as GitHub and the site make them. */
function anchorsOf(text) {
  const anchors = new Set();
  for (const [, heading] of text.matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
    let free = anchor;
    for (let n = 1; anchors.has(free); n++) free = `${anchor}-${n}`;
    anchors.add(free);
  }
  return anchors;
}

const tracked = () =>
  execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trimEnd().split("\n");

/** A change file is to be a part of CHANGELOG.md. */
const folderOf = (file) => dirname(file.replace(/^\.changeset\//, ""));

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

const link = /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

/** Documents that the site leaves out, and links of its pages that lead to none of its pages, headings or pictures. */
function siteProblems(files) {
  const { pages, assets } = sitePages();
  const sources = new Set([homeSource, indexSource, ...pages.map(({ source }) => source)]);
  const left = files
    .filter((file) => /^docs\/.*\.md$|^examples\/.*README\.md$/.test(file) && !sources.has(file))
    .map((file) => `${file}: in no kind of the site: name it in scripts/site/structure.mjs`);
  const markdownOf = new Map(pages.map(({ path, markdown }) => [path, markdown.replace(fences, "")]));
  const pictures = new Set(assets.map(pathOf));
  const broken = pages.flatMap(({ source, path }) =>
    [
      ...markdownOf
        .get(path)
        .replace(/`[^`\n]*`/g, "")
        .matchAll(link),
    ].flatMap(([, to, anchor]) => {
      const target = to === "" ? path : normalize(join(dirname(path), to));
      if (pictures.has(target)) return [];
      const found = markdownOf.get(target);
      if (found === undefined) return [`${source}: the site has no ${target}`];
      if (anchor === undefined || anchorsOf(found).has(anchor)) return [];
      return [`${source}: the site's ${target} has no heading #${anchor}`];
    }),
  );
  return [...left, ...broken];
}

/**
 * @returns a line for each link of a tracked document or of the site that leads nowhere, and for each file named that is not
 *   there
 */
export function linkProblems() {
  const files = tracked();
  const broken = files
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) =>
      [...read(file).matchAll(link)].flatMap(([, path, anchor]) => {
        const target = path === "" ? file : normalize(join(folderOf(file), path));
        if (!existsSync(join(root, target))) return [`${file}: ${target} does not exist`];
        if (anchor === undefined || !target.endsWith(".md") || anchorsOf(read(target)).has(anchor)) return [];
        return [`${file}: ${target} has no heading #${anchor}`];
      }),
    );
  return [...broken, ...fileProblems(files), ...siteProblems(files)];
}

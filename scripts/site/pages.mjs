// The pages of the site as Markdown: the documents, whose links lead to other pages of the site, and a home page of README's
// own parts, so that no text stands twice.
import { readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { root } from "../setup/paths.mjs";
import { homeSource, indexSource, pathOf, structure } from "./structure.mjs";

const read = (file) => readFileSync(join(root, file), "utf8");

const sources = () => structure().flatMap(({ groups }) => groups.flatMap((group) => group.sources));

/** The first heading, which names the page in menus. */
const titleOf = (markdown) => /^# (.+)$/m.exec(markdown)?.[1].replaceAll("`", "") ?? "";

/**
 * Rewrites the links of a document.
 *
 * @param {string} markdown
 * @param {string} source  the document's path in the checkout
 * @param {string} path  its page's path in the site
 * @param {string | undefined} repository  where files that are no pages are shown; without it only their names remain
 * @param {Set<string>} assets  gets the files that the page needs beside it
 */
function withLinks(markdown, source, path, repository, assets) {
  const pages = new Set([homeSource, indexSource, ...sources()]);
  const link = (whole, bang, text, target) => {
    if (/^(\w+:|#)/.test(target)) return whole;
    const [, file, anchor = ""] = /^([^#]*)(#.*)?$/.exec(target);
    const wanted = normalize(join(dirname(source), file)).replace(/\/$/, "");
    const to = (place) => relative(dirname(path), place).replace(/^(?!\.)/, "./");
    if (bang === "!") {
      assets.add(wanted);
      return `![${text}](${to(pathOf(wanted))})`;
    }
    if (pages.has(wanted)) return `[${text}](${to(pathOf(wanted))}${anchor})`;
    return repository === undefined ? text : `[${text}](${repository}/${wanted}${anchor})`;
  };
  // What begins first is taken: links in code are text, code in links is not. A picture may be a link's text.
  const either =
    /^```[\s\S]*?^```$|(!?)\[((?:!\[[^\]]*\]\([^)\s]+\)|[^[\]`]|`[^`\n]*`)*)\]\(([^)\s]+)\)|`[^`\n]+`/gm;
  const rewritten = (part) =>
    part.replace(either, (whole, bang, text, target) =>
      target === undefined ? whole : link(whole, bang, rewritten(text), target),
    );
  return rewritten(markdown);
}

/** A part of README, which has to be there. */
function part(readme, what, pattern) {
  const found = pattern.exec(readme);
  if (found === null) throw new Error(`${homeSource} has no ${what} for the home page: ${pattern}`);
  return found[1];
}

/** The home page: one screen of what it is, for whom and why. */
function homeOf(readme) {
  const lead = part(readme, "first sentence", /^# Palimpsest\n\n([\s\S]+?\.)\s/m);
  const bullets = part(readme, "list of reasons", /\n\n((?:- \*\*.+\n)+)/);
  const picture = part(readme, "microscope", /^(!\[[^\]]*\]\(docs\/images\/microscope\.png\))$/m);
  const rows = part(readme, "table of readers", /^## Where to start\n\n([\s\S]+?)\n\n/m);
  const line = (start) => part(readme, start, new RegExp(`^(npx palimpsest ${start}.*?)(?: +#.*)?$`, "m"));
  return [
    "# Agents that learn what to remember\n",
    `${lead} For applications that read more than fits into a context, for research on memory, and for TypeScript engineers who know Ray.\n`,
    ["```sh", line("ask"), line("train"), line("serve runs"), "```\n"].join("\n"),
    `[First answer in two minutes](docs/tutorials/ask.md) · [Own actors](docs/tutorials/actor.md) · [Own agent](docs/tutorials/agent.md)\n`,
    `${picture}\n`,
    `${bullets}`,
    "## Where to start\n",
    `${rows}\n`,
  ].join("\n");
}

/** The Markdown of a document for the site: notes for its editors are left out. */
const shown = (markdown) => `${markdown.replace(/^<!--[\s\S]*?-->\n+/gm, "").trimEnd()}\n`;

/**
 * @typedef {object} Page
 * @property {string} source  the document in the checkout
 * @property {string} path  the page, as `guides/ray.md`
 * @property {string} title
 * @property {string} markdown
 */

/**
 * All pages of the site.
 *
 * @param {string} [repository]  the address below which the checkout's files are shown, without a slash at the end
 * @returns {{ pages: Page[], assets: string[] }} assets are paths in the checkout
 */
export function sitePages(repository) {
  const assets = new Set();
  const pages = [homeSource, ...sources()].map((source) => {
    const text = read(source);
    const path = pathOf(source);
    const markdown = withLinks(
      source === homeSource ? homeOf(text) : shown(text),
      source,
      path,
      repository,
      assets,
    );
    return { source, path, title: titleOf(markdown), markdown };
  });
  return { pages, assets: [...assets] };
}

/** The site's menu: for each kind the groups, and for each group its pages. */
export function menu(pages) {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  return structure().map(({ kind, groups }) => ({
    kind,
    groups: groups.map(({ title, sources }) => ({
      title,
      pages: sources.map((source) => bySource.get(source)),
    })),
  }));
}

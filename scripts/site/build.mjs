// Builds the site: writes the pages where the generator reads them, runs it, and puts beside each page its Markdown, beside all
// of them `llms.txt`, and above the versions a page that lists them.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../setup/command.mjs";
import { root } from "../setup/paths.mjs";
import { menu, sitePages } from "./pages.mjs";
import { pathOf } from "./structure.mjs";

const folder = join(root, "site");
const staged = join(folder, ".pages");

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** The first paragraph, as one line of plain text. */
function summaryOf(markdown) {
  const [, text = ""] = /^# .+\n+(?![|`#<-])((?:.+\n)+)/m.exec(markdown) ?? [];
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/\s+/g, " ");
  return /^(.{20,}?\.)(?= [A-Z`]|\s*$)/.exec(plain)?.[1] ?? plain.trim();
}

/** An index for language models, after llmstxt.org. */
function llmsIndex(kinds, description, base) {
  const line = ({ title, path, markdown }) => {
    const summary = summaryOf(markdown);
    return `- [${title}](${base}${path})${summary ? `: ${summary}` : ""}`;
  };
  const section = ({ kind, groups }) => [
    `## ${kind}\n`,
    ...groups.flatMap(({ pages }) => pages.map(line)),
    "",
  ];
  return ["# Palimpsest\n", `> ${description}\n`, ...kinds.flatMap(section)].join("\n");
}

/** What was written by hand for users, in one file: tutorials and guides. */
const llmsFull = (kinds) =>
  kinds
    .filter(({ kind }) => kind === "Tutorials" || kind === "Guides")
    .flatMap(({ groups }) => groups.flatMap(({ pages }) => pages.map(({ markdown }) => markdown)))
    .join("\n\n");

const versionNumber = (name) => name.slice(1).split(".").map(Number);
const newestFirst = (one, other) => {
  const [a, b] = [one, other].map(versionNumber);
  return b[0] - a[0] || b[1] - a[1];
};

/** The page above the versions, of those that are there: it leads to the latest, and without one to the next. */
function writeVersions(out) {
  const found = readdirSync(out);
  const moving = ["latest", "next"].filter((name) => found.includes(name));
  const names = [...moving, ...found.filter((name) => /^v\d+\.\d+$/.test(name)).sort(newestFirst)];
  const links = names.map((name) => `<li><a href="${name}/">${name}</a></li>`).join("");
  const style =
    "body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}";
  const page = (head) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>Palimpsest: versions</title><style>${style}</style><main><h1>Versions of these pages</h1><ul>${links}</ul></main></html>\n`;
  // What is asked for at the root alone.
  for (const file of ["404.html", "llms.txt"]) cpSync(join(out, names[0], file), join(out, file));
  write(join(out, "versions.html"), page(""));
  write(join(out, "index.html"), page(`<meta http-equiv="refresh" content="0; url=${names[0]}/">`));
}

/**
 * Builds one version into a folder of versions.
 *
 * @param {{ name: string, base: string, out: string, repository?: string }} how
 */
export async function buildSite({ name, base, out, repository }) {
  const { version, description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { pages, assets } = sitePages(repository);
  const kinds = menu(pages);
  rmSync(staged, { recursive: true, force: true });
  for (const { path, markdown } of pages)
    write(
      join(staged, path),
      path === "index.md"
        ? `---\npageClass: home\nsidebar: false\naside: false\noutline: false\n---\n${markdown}`
        : markdown,
    );
  for (const asset of assets) cpSync(join(root, asset), join(staged, pathOf(asset)), { recursive: true });
  const siteBase = `${base}${name}/`;
  const playground = join(root, "dist-playground");
  write(
    join(staged, "site.json"),
    JSON.stringify({
      base: siteBase,
      versions: `${base}versions.html`,
      playground: existsSync(playground) ? `${siteBase}playground/index.html` : undefined,
      name: name === "latest" ? `v${version}` : name,
      description,
      kinds: kinds.map(({ kind, groups }) => ({
        kind,
        groups: groups.map(({ title, pages }) => ({
          title,
          pages: pages.map(({ title, path }) => ({ title, path })),
        })),
      })),
    }),
  );
  const built = join(out, name);
  await run(
    process.execPath,
    [join(folder, "node_modules/vitepress/bin/vitepress.js"), "build", folder, "--outDir", built],
    { cwd: folder, env: { ...process.env, NO_COLOR: "1" } },
  );
  for (const { path, markdown } of pages) write(join(built, path), markdown);
  write(join(built, "llms.txt"), llmsIndex(kinds, description, siteBase));
  write(join(built, "llms-full.txt"), llmsFull(kinds));
  if (existsSync(playground)) cpSync(playground, join(built, "playground"), { recursive: true });
  writeVersions(out);
  return { folder: built, pages: pages.length };
}

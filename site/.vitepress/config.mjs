// VitePress over the pages that scripts/site/build.mjs writes, with the menu that it gives.
import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { anchorOf } from "../../scripts/anchors.mjs";

const site = JSON.parse(readFileSync(new URL("../.pages/site.json", import.meta.url), "utf8"));

const addressOf = (path) => `/${path.replace(/\.md$/, "")}`;
const folderOf = (kind) => `/${kind.toLowerCase()}/`;

/** Each kind has a menu of its own. */
const sidebar = Object.fromEntries(
  site.kinds.map(({ kind, groups }) => [
    folderOf(kind),
    groups.map(({ title, pages }) => ({
      text: title,
      items: pages.map(({ title, path }) => ({ text: title.replace(/^API of /, ""), link: addressOf(path) })),
    })),
  ]),
);

/** And leads to its first page. */
const nav = site.kinds.map(({ kind, groups }) => ({
  text: kind,
  link: addressOf(groups[0].pages[0].path),
  activeMatch: `^${folderOf(kind)}`,
}));

/** What the theme's search box has to say to be understood: it calls itself a button, and its links are children of options. */
const searchRepairs = [
  [
    /role="button"\s+(:aria-owns="[^"]*")\s+aria-expanded="true"\s+aria-haspopup="listbox"\s+aria-label\w+="localsearch-label"/,
    'role="dialog" aria-label="Search" $1',
  ],
  [
    'aria-autocomplete="both"',
    `role="combobox" :aria-expanded="results?.length ? 'true' : 'false'" aria-autocomplete="list"`,
  ],
  [/:id="'localsearch-item-' \+ index"\s+:aria-selected="[^"]*"\s+role="option"/, 'role="presentation"'],
  [
    ':href="p.id"',
    `:href="p.id" role="option" :id="'localsearch-item-' + index" :aria-selected="selectedIndex === index ? 'true' : 'false'"`,
  ],
  [/:aria-label="\[\.\.\.p\.titles, p\.title\][^"]*"/, ""],
  [/<kbd :aria-label="[^"]*">/g, "<kbd>"],
];
const searchBox = {
  name: "search-box",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/VPLocalSearchBox.vue")) return;
    return searchRepairs.reduce((text, [from, to]) => {
      const found = text.replace(from, to);
      if (found === text) throw new Error(`the theme's search box has changed: it has no ${from}`);
      return found;
    }, code);
  },
};

export default defineConfig({
  title: "Palimpsest",
  description: site.description,
  lang: "en",
  base: site.base,
  srcDir: ".pages",
  cacheDir: ".cache",
  cleanUrls: false,
  // `verify` checks links with their anchors in the documents themselves; what is below is a second look.
  ignoreDeadLinks: false,
  router: { prefetchLinks: false },
  head: [["link", { rel: "icon", href: "data:," }]],
  vite: { plugins: [searchBox] },
  markdown: {
    // The usual ones are too pale for some of their words.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    html: false,
    linkify: false,
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    headers: { slugify: anchorOf },
    config(md) {
      // Two braces of a text are no template; of HTML, tables have line breaks.
      const { text } = md.renderer.rules;
      md.renderer.rules.text = (...args) =>
        text(...args)
          .replaceAll("{{", "&#123;&#123;")
          .replaceAll("&lt;br&gt;", "<br>");
    },
  },
  themeConfig: {
    nav,
    // For the theme's own links, which lead out of the generated pages.
    outside: [
      ...(site.playground ? [{ text: "Playground", link: site.playground }] : []),
      { text: site.name, link: site.versions, label: `${site.name}, other versions` },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        detailedView: false,
        miniSearch: {
          searchOptions: {
            // Pages that explain come before those that list everything.
            boostDocument: (id) => (/\/(reference|changelog)\b/.test(id) ? 0.3 : 1),
          },
        },
      },
    },
    docFooter: { prev: "Previous", next: "Next" },
  },
});

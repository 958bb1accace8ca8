// The site's pages in Diátaxis' four kinds, by the documents that they are made of. `verify` refuses a document that is in no
// kind; a document that is not there is left out, as those that `npm run setup` writes are before it.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/paths.mjs";

const guides = (...names) => names.map((name) => `docs/guides/${name}.md`);
const docs = (...names) => names.map((name) => `docs/${name}.md`);

/** The READMEs one folder below. */
const readmesOf = (folder) =>
  readdirSync(join(root, folder))
    .sort()
    .map((name) => `${folder}/${name}/README.md`);

/** @type {{ kind: string, groups: { title: string, sources: readonly string[] }[] }[]} */
const kinds = [
  {
    kind: "Tutorials",
    groups: [
      {
        title: "From an empty folder",
        sources: ["docs/tutorials/ask.md", "docs/tutorials/actor.md", "docs/tutorials/agent.md"],
      },
      { title: "From a checkout", sources: guides("newcomer") },
      { title: "Examples", sources: ["examples/README.md", ...readmesOf("examples")] },
    ],
  },
  {
    kind: "Guides",
    groups: [
      {
        title: "Memory agents",
        sources: guides("memory-agent", "text-and-engines", "mcp", "serve", "packages"),
      },
      {
        title: "Actors and tasks",
        sources: guides("actors", "tasks", "durable", "environments", "ray", "autoscaling", "dashboard"),
      },
      {
        title: "Training",
        sources: [
          ...guides("training", "models", "data", "gpu", "rewards", "your-own-agent", "rememr1", "memupdate"),
          "recipes/adapters/smollm2-memagent/README.md",
          "recipes/reproduce/README.md",
        ],
      },
      { title: "Measuring", sources: guides("evaluation", "ruler", "worlds", "frontier", "checks") },
      { title: "Operating", sources: [...docs("operations"), ...guides("security")] },
    ],
  },
  {
    kind: "Reference",
    groups: [
      { title: "The command", sources: docs("commands", "configuration", "errors") },
      { title: "Formats", sources: docs("metrics", "protocol", "trace-format") },
      {
        title: "API",
        sources: [
          ...docs("api/client", "api/agents", "api/engines", "api/memory", "api/evals", "api/rewards"),
          ...docs("api/datasets", "api/trajectories", "api/trainer", "api/learner", "api/model", "api/jit"),
        ],
      },
      { title: "What holds", sources: docs("contract", "invariants") },
    ],
  },
  {
    kind: "Explanation",
    groups: [
      { title: "How it works", sources: docs("reading", "architecture", "learner", "sampler", "jit") },
      { title: "What is known of it", sources: docs("status", "measured", "simulation", "glossary") },
      { title: "Results", sources: docs("results/memagent", "results/memupdate", "results/rememr1") },
      {
        title: "The project",
        sources: ["CONTRIBUTING.md", "AGENTS.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md"],
      },
    ],
  },
];

/** @returns the kinds, with the documents that are there */
export function structure() {
  return kinds.map(({ kind, groups }) => ({
    kind,
    groups: groups
      .map(({ title, sources }) => ({
        title,
        sources: sources.filter((source) => existsSync(join(root, source))),
      }))
      .filter(({ sources }) => sources.length > 0),
  }));
}

/** Documents that are no pages: the home page is made of the README, and the index of the documents is the site's menu. */
export const homeSource = "README.md";
export const indexSource = "docs/README.md";

/** The kind of each document, as a folder of the site. */
const folderOf = new Map(
  kinds.flatMap(({ kind, groups }) =>
    groups.flatMap(({ sources }) => sources.map((source) => [source, kind.toLowerCase()])),
  ),
);

/** Where a document stands in the site: below its kind, and a README is the page of its folder. A picture keeps its own place. */
export function pathOf(source) {
  if (source === homeSource || source === indexSource) return "index.md";
  const folder = folderOf.get(source);
  const own = source.replace(/^docs\//, "");
  if (folder === undefined) return own;
  const short = own.replace(/^(tutorials|guides)\//, "").replace(/\/README\.md$/, ".md");
  return `${folder}/${short.replace(/^[A-Z_]+\.md$/, (name) => name.toLowerCase())}`;
}

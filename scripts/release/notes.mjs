// Release notes: what the change files of changesets say becomes a section of CHANGELOG.md, and that section is what a release says.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../setup/command.mjs";
import { root } from "../setup/paths.mjs";

const kinds = ["Added", "Removed", "Changed", "Fixed", "Security"];
/** Files that name the version, besides the manifests that changesets knows. */
const naming = [
  ...["package.json", "CITATION.cff", "docs/guides/packages.md", "docs/guides/newcomer.md"],
  ...["docs/tutorials/ask.md", "docs/tutorials/actor.md", "docs/tutorials/agent.md"],
];

const versionOf = (at = root) =>
  JSON.parse(readFileSync(join(at, "packages/apps/cli/package.json"), "utf8")).version;

/** The section that the change files make. @throws for a line that does not begin with a kind of change */
function section(version, at) {
  const found = new Map(kinds.map((kind) => [kind, []]));
  const folder = join(at, ".changeset");
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .sort()) {
    const text = readFileSync(join(folder, file), "utf8").replace(/^---\n[\s\S]*?\n---\n/, "");
    for (const line of text.split(/\n(?=\S)/).filter((one) => one.trim() !== "")) {
      const [, kind, says = ""] = /^\s*(\w+): ([\s\S]+)$/.exec(line) ?? [];
      if (!found.has(kind))
        throw new Error(
          `.changeset/${file}: "${line.trim().slice(0, 60)}" says no kind of change: begin the line with one of ${kinds.join(", ")}, such as "Added: …"`,
        );
      found.get(kind).push(`- ${says.trim()}\n`);
    }
  }
  const parts = [...found].filter(([, lines]) => lines.length > 0);
  return [`## ${version}\n`, ...parts.map(([kind, lines]) => `### ${kind}\n\n${lines.join("")}`)].join("\n");
}

/** Whether change files wait for a version that has them. */
export const isWaiting = (at = root) => section("", at).includes("### ");

/** What the change files say that wait, or what CHANGELOG.md says of this version. */
export function notesNow(at = root) {
  if (isWaiting(at)) return section("Unreleased", at);
  const text = readFileSync(join(at, "CHANGELOG.md"), "utf8");
  return text.split(/^(?=## )/m).find((each) => each.startsWith(`## ${versionOf(at)}\n`)) ?? "";
}

/**
 * Raises all versions as the change files ask, and moves what they say into CHANGELOG.md.
 * @returns the new version
 * @throws where no change file asks for one
 */
export async function raiseVersion(at = root) {
  const before = versionOf(at);
  const said = section("VERSION", at);
  if (!isWaiting(at)) throw new Error(".changeset has no change file: `npx changeset` writes one");
  await run(process.execPath, [join(root, "node_modules/@changesets/cli/bin.js"), "version"], { cwd: at });
  const version = versionOf(at);
  if (version === before)
    throw new Error(`the change files leave the version at ${before}: name "@palimpsest/cli" in one of them`);
  const changelog = join(at, "CHANGELOG.md");
  const text = readFileSync(changelog, "utf8");
  const first = text.search(/^## /m);
  writeFileSync(
    changelog,
    `${text.slice(0, first)}${said.replace("VERSION", version)}\n${text.slice(first)}`,
  );
  for (const name of naming) {
    const file = join(at, name);
    const now = readFileSync(file, "utf8").replaceAll(
      new RegExp(`\\b${before.replaceAll(".", "\\.")}\\b`, "g"),
      version,
    );
    writeFileSync(file, now);
  }
  return version;
}

/** Tests how a release is made: its notes and versions from change files, its budget, and what it says of where it comes from. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { testFolder } from "./support/temporary-folder.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const script = async (path: string): Promise<unknown> => await import(join(root, "scripts/release", path));
const { isWaiting, notesNow, raiseVersion } = (await script("notes.mjs")) as {
  isWaiting: (at: string) => boolean;
  notesNow: (at: string) => string;
  raiseVersion: (at: string) => Promise<string>;
};
const { provenanceOf } = (await script("provenance.mjs")) as {
  provenanceOf: (
    folder: string,
    files: readonly string[],
  ) => { subject: unknown; predicate: { buildDefinition: { resolvedDependencies: unknown[] } } };
};

/** Copies what a release changes: manifests, documents that name the version, and the settings of changesets. */
function miniature(): string {
  const at = testFolder();
  const copy = (path: string) => {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    cpSync(join(root, path), join(at, path));
  };
  for (const path of ["pnpm-workspace.yaml", "package.json", "CITATION.cff", "CHANGELOG.md"]) copy(path);
  for (const path of [
    "docs/guides/packages.md",
    "docs/guides/newcomer.md",
    "docs/tutorials",
    ".changeset/config.json",
  ])
    cpSync(join(root, path), join(at, path), { recursive: true });
  for (const room of readdirSync(join(root, "packages")))
    for (const name of readdirSync(join(root, "packages", room)))
      copy(`packages/${room}/${name}/package.json`);
  writeFileSync(join(at, "pnpm-lock.yaml"), "");
  execFileSync("git", ["init", "--quiet", at]);
  return at;
}

const change = (at: string, name: string, text: string) =>
  writeFileSync(join(at, ".changeset", name), `---\n"@palimpsest/cli": minor\n---\n\n${text}\n`);

it("raises every version as one, and moves what change files say into CHANGELOG.md, by kind", async () => {
  const at = miniature();
  const before = JSON.parse(readFileSync(join(at, "package.json"), "utf8")).version;
  const [major, minor] = before.split(".");
  const next = `${major}.${Number(minor) + 1}.0`;
  change(at, "one.md", "Fixed: a head\n  starts again.\nAdded: a verb.");
  change(at, "two.md", "Added: a flag.");
  expect(notesNow(at)).toBe(
    "## Unreleased\n\n### Added\n\n- a verb.\n- a flag.\n\n### Fixed\n\n- a head\n  starts again.\n",
  );
  expect(await raiseVersion(at)).toBe(next);
  for (const path of ["runtime/client", "apps/cli", "learning/jit"])
    expect(JSON.parse(readFileSync(join(at, "packages", path, "package.json"), "utf8")).version).toBe(next);
  expect(JSON.parse(readFileSync(join(at, "package.json"), "utf8")).version).toBe(next);
  for (const path of ["guides/packages.md", "tutorials/ask.md", "tutorials/agent.md"])
    expect(readFileSync(join(at, "docs", path), "utf8"), path).toContain(`palimpsest-${next}.tgz`);
  expect(readFileSync(join(at, "docs/tutorials/actor.md"), "utf8")).toContain(`runtime-${next}.tgz`);
  expect(readFileSync(join(at, "CHANGELOG.md"), "utf8")).toContain(`## ${next}\n\n### Added\n\n- a verb.\n`);
  expect(isWaiting(at)).toBe(false);
  expect(notesNow(at)).toContain("- a flag.");
  await expect(raiseVersion(at)).rejects.toThrow(/npx changeset/);
});

it("refuses a change file whose line says no kind of change", () => {
  const at = miniature();
  change(at, "one.md", "a verb.");
  expect(() => notesNow(at)).toThrow(/one\.md: "a verb\." says no kind of change: .*Added/);
});

it("states the digest of each file, the commit and the lockfile", () => {
  const at = testFolder();
  writeFileSync(join(at, "a.tgz"), "a");
  const { subject, predicate } = provenanceOf(at, ["a.tgz"]);
  const sha512 = createHash("sha512").update("a").digest("hex");
  expect(subject).toEqual([{ name: "a.tgz", digest: { sha512 } }]);
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "pnpm-lock.yaml")))
    .digest("hex");
  expect(predicate.buildDefinition.resolvedDependencies).toMatchObject([
    { digest: { gitCommit: process.env["GITHUB_SHA"] ?? commit } },
    { digest: { sha256: lock } },
  ]);
});

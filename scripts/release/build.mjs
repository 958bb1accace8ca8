// The files of a release: tarballs, bill of materials, statement of provenance, sizes, notes and checksums.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { overBudget } from "../pack/budget.mjs";
import { markdown, rowsOf } from "../pack/table.mjs";
import { pack } from "../pack.mjs";
import { run } from "../setup/command.mjs";
import { root } from "../setup/paths.mjs";
import { notesNow } from "./notes.mjs";
import { digest, provenanceOf } from "./provenance.mjs";

/**
 * Writes them into a folder, which is emptied first.
 * @throws where a package weighs more than its budget
 */
export async function buildRelease(folder) {
  rmSync(folder, { recursive: true, force: true });
  const tarballs = await pack(folder);
  const problems = overBudget(tarballs);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const names = tarballs.map(({ filename }) => filename);
  const write = (name, text) => writeFileSync(join(folder, name), text);
  await run(process.execPath, [join(root, "scripts/sbom.mjs"), join(folder, "sbom.cdx.json")], { cwd: root });
  write("provenance.json", `${JSON.stringify(provenanceOf(folder, names), null, 2)}\n`);
  write("sizes.md", markdown(rowsOf(tarballs)));
  write("notes.md", notesNow());
  const sums = readdirSync(folder)
    .sort()
    .map((name) => `${digest("sha256", join(folder, name))}  ${name}\n`);
  write("SHA256SUMS", sums.join(""));
  return tarballs;
}

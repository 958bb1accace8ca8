import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

const root = join(import.meta.dirname, "../..");

/** vitest calls it before the tests of a project: builds the packages if a source is newer than what was built of it. */
export default function setup(project: TestProject): void {
  build();
  project.onTestsRerun(build);
}

function build(): void {
  // An empty project with the installed packages (scripts/stories.mjs) has nothing to build.
  if (!existsSync(join(root, "tsconfig.json"))) return;
  const boards = join(root, "scripts/grafana/boards.mjs");
  if (modifiedAt(boards) > modifiedAt(join(root, "deploy/grafana/dashboards/cluster.json")))
    spawnSync(process.execPath, [join(root, "scripts/generate-grafana.mjs")], { stdio: "inherit" });
  const { references } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")) as {
    references: readonly { path: string }[];
  };
  if (!references.some(({ path }) => isStale(join(root, path)))) return;
  // What does not compile is built all the same. The compiler says where, and the tests of other packages can run.
  spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b"], {
    cwd: root,
    stdio: "inherit",
  });
}

function isStale(folder: string): boolean {
  const builtAt = modifiedAt(join(folder, "tsconfig.tsbuildinfo"));
  return readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true }).some(
    (file) =>
      file.isFile() &&
      !file.name.endsWith(".test.ts") &&
      modifiedAt(join(file.parentPath, file.name)) > builtAt,
  );
}

const modifiedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

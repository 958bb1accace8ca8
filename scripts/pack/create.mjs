// `create-palimpsest`: what `npm create palimpsest NAME` runs. It is one file, which is `palimpsest new project NAME`.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/paths.mjs";
import { readManifest, repositoryOf, workspace } from "./manifest.mjs";

const createName = "create-palimpsest";

const program = `#!/usr/bin/env node
process.argv.splice(2, 0, "new", "project");
await import("palimpsest/bin/palimpsest.js");
`;

const readme = `# ${createName}

\`npm create palimpsest NAME\` makes a TypeScript project with an actor program, a memory agent, the recipe that trains it, and tests. It is \`palimpsest new project NAME\`, and takes the same options.
`;

/** Writes the folder of the package. */
export function stageCreate(target) {
  const { version, license } = workspace.get("cli").manifest;
  const manifest = {
    ...{
      name: createName,
      version,
      description: "Makes a project with Palimpsest.",
      license,
      type: "module",
    },
    ...{ engines: readManifest(root).engines, ...repositoryOf("cli"), bin: { [createName]: "./create.js" } },
    ...{ files: ["create.js"], dependencies: { palimpsest: version } },
  };
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(target, "create.js"), program, { mode: 0o755 });
  writeFileSync(join(target, "README.md"), readme);
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
}

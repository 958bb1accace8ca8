#!/usr/bin/env node
// Writes packages/wire/generated from protos/, and a hash of all that belongs together. With --check: fails when the
// committed code differs. Where the hash is right, nothing is generated again.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const check = process.argv.includes("--check");
const target = join(root, "packages/wire/generated");
const protoDir = join(root, "protos");
const protos = readdirSync(join(protoDir, "palimpsest/v1"))
  .filter((name) => name.endsWith(".proto"))
  .sort()
  .map((name) => `palimpsest/v1/${name}`);
const hashFile = join(protoDir, "generated.sha256");

/** Returns the SHA-256 of the protos, this script, the generator's version, and the generated code in the target. */
function currentHash() {
  const hash = createHash("sha256");
  const inputs = [
    ...protos.map((name) => join(protoDir, name)),
    import.meta.filename,
    join(root, "node_modules/protobufjs-cli/package.json"),
  ];
  const outputs = ["protocol.js", "protocol.d.ts"].map((name) => join(target, name));
  for (const path of [...inputs, ...outputs]) {
    const bytes = readFileSync(path);
    hash.update(`${bytes.length}\n`).update(bytes);
  }
  return `${hash.digest("hex")}\n`;
}

if (check && existsSync(hashFile) && readFileSync(hashFile, "utf8") === currentHash()) process.exit(0);

const outputDir = check ? mkdtempSync(join(tmpdir(), "palimpsest-protos-")) : target;
const jsFile = join(outputDir, "protocol.js");
const typesFile = join(outputDir, "protocol.d.ts");
execFileSync(
  process.execPath,
  [
    join(root, "node_modules/protobufjs-cli/bin/pbjs"),
    ...["-t", "static-module", "-w", "esm", "--dts", "--force-number"],
    ...["--no-service", "--no-verify", "--no-convert", "--no-delimited", "--no-typeurl"],
    ...["-p", protoDir, "-o", jsFile, ...protos],
  ],
  { stdio: ["ignore", "inherit", "inherit"], cwd: root },
);

// Every message and enum of palimpsest.v1 becomes an export of its own.
const names = protos
  .flatMap((proto) => [...readFileSync(join(protoDir, proto), "utf8").matchAll(/^(?:message|enum) (\w+)/gm)])
  .map((match) => match[1])
  .sort();
const js = readFileSync(jsFile, "utf8");
writeFileSync(
  jsFile,
  `import "./conventions.js";\n${js}\n${names.map((name) => `const exported${name} = palimpsest.v1.${name};`).join("\n")}\nexport { ${names.map((name) => `exported${name} as ${name}`).join(", ")} };\n`,
);
const types = readFileSync(typesFile, "utf8").replace('import Long = require("long");\n', "");
writeFileSync(
  typesFile,
  `${types}\n${names.map((name) => `export import ${name} = palimpsest.v1.${name};`).join("\n")}\n`,
);

if (check) {
  const stale = ["protocol.js", "protocol.d.ts"].filter(
    (name) => readFileSync(join(outputDir, name), "utf8") !== readFileSync(join(target, name), "utf8"),
  );
  rmSync(outputDir, { recursive: true });
  if (stale.length > 0) {
    process.stderr.write(
      `packages/wire/generated/${stale[0]} is not what protos/ say: run \`node scripts/generate-protos.mjs\` and commit\n`,
    );
    process.exit(1);
  }
} else {
  writeFileSync(hashFile, currentHash());
}

#!/usr/bin/env node
// Writes packages/runtime/wire/generated from protos/, and a hash of all that belongs together: where it is right, nothing is
// generated again.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup/paths.mjs";

const target = join(root, "packages/runtime/wire/generated");
const jsFile = join(target, "protocol.js");
const typesFile = join(target, "protocol.d.ts");
const hashFile = join(target, "protocol.sha256");
const protoDir = join(root, "protos");

/** The SHA-256 of the protos, this script, the generator's version, and the generated code. */
function currentHash(protos) {
  const hash = createHash("sha256");
  const inputs = [
    ...protos.map((name) => join(protoDir, name)),
    import.meta.filename,
    join(root, "node_modules/protobufjs-cli/package.json"),
  ];
  for (const path of [...inputs, jsFile, typesFile]) {
    const bytes = readFileSync(path);
    hash.update(`${bytes.length}\n`).update(bytes);
  }
  return `${hash.digest("hex")}\n`;
}

/** Generates the code where it is not what the protos say; returns whether it was not. */
export function generateProtos() {
  const protos = readdirSync(join(protoDir, "palimpsest/v1"))
    .filter((name) => name.endsWith(".proto"))
    .sort()
    .map((name) => `palimpsest/v1/${name}`);
  const exist = [hashFile, jsFile, typesFile].every((path) => existsSync(path));
  if (exist && readFileSync(hashFile, "utf8") === currentHash(protos)) return false;
  mkdirSync(target, { recursive: true });
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
    .flatMap((proto) => [
      ...readFileSync(join(protoDir, proto), "utf8").matchAll(/^(?:message|enum) (\w+)/gm),
    ])
    .map((match) => match[1])
    .sort();
  const js = readFileSync(jsFile, "utf8");
  writeFileSync(
    jsFile,
    `import "../conventions.js";\n${js}\n${names.map((name) => `const exported${name} = palimpsest.v1.${name};`).join("\n")}\nexport { ${names.map((name) => `exported${name} as ${name}`).join(", ")} };\n`,
  );
  const types = readFileSync(typesFile, "utf8").replace('import Long = require("long");\n', "");
  writeFileSync(
    typesFile,
    `${types}\n${names.map((name) => `export import ${name} = palimpsest.v1.${name};`).join("\n")}\n`,
  );
  writeFileSync(hashFile, currentHash(protos));
  return true;
}

if (import.meta.filename === process.argv[1]) generateProtos();

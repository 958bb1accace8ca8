#!/usr/bin/env node
// `node scripts/sbom.mjs [FILE]`: the software bill of materials as CycloneDX 1.6 JSON, from pnpm-lock.yaml alone, so that it
// is the same on every machine. Names packages and their hashes, never the host of a registry.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./setup/paths.mjs";

const runtimeKinds = ["dependencies", "optionalDependencies"];
const lockfileVersion = "9.0";

/** name@version without the peers that pnpm appends. */
function plain(key) {
  return key.split("(")[0];
}

function keyOf(name, version) {
  // An alias is locked as another package's name@version.
  return /^(@[^/]+\/)?[^@/]+@/.test(plain(version)) ? version : `${name}@${version}`;
}

function purlOf(key) {
  const at = key.lastIndexOf("@");
  const [name, version] = [key.slice(0, at), key.slice(at + 1)];
  return `pkg:npm/${name.replace(/^@/, "%40")}@${encodeURIComponent(version)}`;
}

/** Keys of what these kinds of dependencies name, and the folders of linked packages of this checkout. */
function targets(owner, kinds, folder = ".") {
  const keys = [];
  const links = [];
  for (const kind of kinds) {
    for (const [name, locked] of Object.entries(owner[kind] ?? {})) {
      const version = typeof locked === "string" ? locked : locked.version;
      if (version.startsWith("link:")) links.push(join(folder, version.slice("link:".length)));
      else keys.push(keyOf(name, version));
    }
  }
  return { keys, links };
}

/** Everything that is reached from these keys. */
function closure(snapshots, keys) {
  const seen = new Set();
  const open = [...keys];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (seen.has(key)) continue;
    seen.add(key);
    open.push(...targets(snapshots[key] ?? {}, runtimeKinds).keys);
  }
  return seen;
}

function hashOf(key, resolution) {
  const match = /^sha512-(.+)$/.exec(resolution?.integrity ?? "");
  if (!match) throw new Error(`${key} of pnpm-lock.yaml has no sha512: it does not come from a registry`);
  return { alg: "SHA-512", content: Buffer.from(match[1], "base64").toString("hex") };
}

function componentOf(key, resolution, scope) {
  const at = key.lastIndexOf("@");
  const slash = key.startsWith("@") ? key.indexOf("/") : -1;
  return {
    type: "library",
    "bom-ref": purlOf(key),
    ...(slash > 0 ? { group: key.slice(0, slash) } : {}),
    name: key.slice(slash + 1, at),
    version: key.slice(at + 1),
    scope,
    hashes: [hashOf(key, resolution)],
    purl: purlOf(key),
  };
}

function sbomOf(lockText, parse, project) {
  const { importers, packages, snapshots, ...rest } = parse(lockText);
  if (rest.lockfileVersion !== lockfileVersion) {
    throw new Error(
      `pnpm-lock.yaml is of version ${rest.lockfileVersion}: this script reads ${lockfileVersion}`,
    );
  }
  // What the product's packages run with; the rest is for building and testing it.
  const folders = Object.keys(importers).filter((folder) => folder !== ".");
  const runtime = folders.flatMap((folder) => targets(importers[folder], runtimeKinds, folder).keys);
  const required = new Set([...closure(snapshots, runtime)].map(plain));
  const optional = (key) =>
    Object.entries(snapshots).every(([full, { optional: is }]) => plain(full) !== key || is);
  const scopeOf = (key) => (required.has(key) ? (optional(key) ? "optional" : "required") : "excluded");
  const edges = new Map(Object.keys(packages).map((key) => [key, new Set()]));
  for (const [full, snapshot] of Object.entries(snapshots)) {
    for (const key of targets(snapshot, runtimeKinds).keys) edges.get(plain(full))?.add(purlOf(plain(key)));
  }
  const self = `pkg:npm/${project.name}@${project.version}`;
  const direct = new Set(runtime.map((key) => purlOf(plain(key))));
  const hex = createHash("sha256").update(lockText).digest("hex");
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": self, name: project.name, version: project.version },
    },
    components: Object.entries(packages).map(([key, { resolution }]) =>
      componentOf(key, resolution, scopeOf(key)),
    ),
    dependencies: [
      { ref: self, dependsOn: [...direct].sort() },
      ...[...edges].map(([key, to]) => ({ ref: purlOf(key), dependsOn: [...to].sort() })),
    ],
  };
}

// The parser that the command's recipes are read with.
const { parse } = createRequire(join(root, "packages/apps/cli/package.json"))("yaml");
const project = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const bom = sbomOf(readFileSync(join(root, "pnpm-lock.yaml"), "utf8"), parse, project);
const text = `${JSON.stringify(bom, null, 2)}\n`;
const [, , path] = process.argv;
if (path === undefined) process.stdout.write(text);
else writeFileSync(path, text);

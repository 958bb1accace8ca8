/** Tests the bill of materials against the lockfile from which it is made. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Bom {
  readonly serialNumber: string;
  readonly components: readonly {
    readonly "bom-ref": string;
    readonly purl: string;
    readonly scope: string;
    readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

test("it names every locked package with its hash, what needs what, and no host", () => {
  const text = execFileSync(process.execPath, ["scripts/sbom.mjs"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  const bom = JSON.parse(text) as Bom;
  expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
  expect(bom.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  for (const { hashes, purl } of bom.components) {
    expect(hashes, purl).toEqual([{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
  }
  const lock = readFileSync(new URL("../pnpm-lock.yaml", import.meta.url), "utf8");
  expect(bom.components).toHaveLength(lock.match(/^ {4}resolution: /gm)?.length ?? 0);
  const refs = new Set(bom.components.map((component) => component["bom-ref"]));
  expect(refs.size).toBe(bom.components.length);
  expect(bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
  const scopeOf = (name: string) =>
    bom.components.find(({ purl }) => purl.startsWith(`pkg:npm/${name}@`))?.scope;
  expect([scopeOf("%40grpc/grpc-js"), scopeOf("ioredis"), scopeOf("%40biomejs/biome")]).toEqual([
    "required",
    "required",
    "excluded",
  ]);
  expect(text).not.toMatch(/:\/\//);
});

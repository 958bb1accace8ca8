import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareVersions, softwareVersion } from "./software-version.js";

it("is the version of the manifest", () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(manifest).toMatchObject({ version: softwareVersion() });
});

describe("versions that meet", () => {
  const number = fc.nat({ max: 30 });
  const version = fc.tuple(number, number, number).map((parts) => parts.join("."));

  it("work together if major and minor number are the same, and otherwise both are named", async () => {
    await fc.assert(
      fc.property(version, version, (mine, heads) => {
        const [a, b] = [mine, heads].map((text) => text.split(".").slice(0, 2).join("."));
        const compare = () => compareVersions("this worker", mine, heads);
        if (a !== b) {
          expect(compare).toThrow(`this worker has version ${mine}, the head has ${heads}`);
          expect(compare).toThrow(`install ${b}.x here`);
        } else if (mine === heads) expect(compare()).toBeUndefined();
        else expect(compare()).toContain(`version ${mine}, the head has ${heads}`);
      }),
    );
  });

  it("are compared with their tags, and not where one is unknown", () => {
    expect(compareVersions("this worker", "1.4.0-rc.1", "1.4.0")).toContain("1.4.0-rc.1");
    expect(compareVersions("this worker", "", "1.4.0")).toBeUndefined();
    expect(compareVersions("this worker", "1.4.0", "")).toBeUndefined();
    for (const odd of ["latest", "1", "1.4x.0", "v1.4.0"])
      expect(() => compareVersions("this worker", odd, "1.4.0")).toThrow(`has version ${odd}`);
  });
});

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { Installation } from "./installation.js";

const here = fileURLToPath(import.meta.url);

it("an actor imports a module of the installation, or the bundle that stands for it", () => {
  const installed = new Installation(here).urlOf("@palimpsest/wire");
  expect(installed).toMatch(/^file:.*\/wire\//);
  const bundled = new Installation(here, { "@palimpsest/wire": "/bundles/wire.mjs" });
  expect(bundled.urlOf("@palimpsest/wire")).toBe(pathToFileURL("/bundles/wire.mjs").href);
  expect(bundled.urlOf("@palimpsest/telemetry")).toMatch(/^file:.*\/telemetry\//);
});

it("a bundle that names the client by the package for actors alone gets the client of the installation", async () => {
  const folder = testFolder();
  const command = fileURLToPath(new URL("../../../../apps/cli/package.json", import.meta.url));
  await new Installation(command).linkInto(folder);
  const linked = (name: string) => realpath(join(folder, "node_modules/@palimpsest", name));
  expect(await linked("runtime")).toBe(await linked("client"));
});

it("what stands for a module of others is not asked", () => {
  const urlOf = (name: string) => new Installation(here, { [name]: "/x.mjs" }).urlOf(name);
  expect(() => urlOf("left-pad")).toThrow(/INVALID_ARGUMENT/);
  expect(() => urlOf("@palimpsest/nothing")).toThrow(/NOT_FOUND/);
});

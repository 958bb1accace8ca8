import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findHead } from "@palimpsest/client/find-head";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { findSettings } from "./settings.js";

function headIn(folder: string, address: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "token"), "the-token-of-the-file\n");
  const head = {
    address,
    tls: false,
    pid: process.pid,
    clusterId: "c",
    cluster: "default",
    headId: "h",
    epoch: 1,
  };
  const facts = { tokenPath: "", metricsAddress: "", startedAtMs: 1, version: "0" };
  writeFileSync(join(folder, "head.json"), JSON.stringify({ ...head, ...facts }));
}

it("finds what commands find, in their order, and says what is overridden", () => {
  const folder = testFolder();
  headIn(join(folder, "dev/head"), "127.0.0.1:1");
  const of = (given: object, environment: Record<string, string>) => {
    const all = { PALIMPSEST_DATA_DIR: folder, ...environment };
    const settings = new Map(findSettings(given, all).map((one) => [one.name, one]));
    // What commands connect to is what is shown.
    const { address, token } = findHead(given, all);
    expect(settings.get("address")?.value).toBe(address);
    expect(settings.get("token")?.value).toBe(`(hidden, ${token.length} characters)`);
    return settings;
  };
  const file = join(folder, "dev/head/head.json");
  expect(of({}, {}).get("address")).toMatchObject({ from: file, overrides: [] });
  const variable = of({}, { PALIMPSEST_ADDRESS: "127.0.0.1:2", PALIMPSEST_TOKEN: "of-the-variable" });
  expect(variable.get("address")).toMatchObject({
    from: "PALIMPSEST_ADDRESS",
    overrides: [{ from: file, value: "127.0.0.1:1" }],
  });
  expect(variable.get("token")?.from).toBe("PALIMPSEST_TOKEN");
  const flag = of({ address: "127.0.0.1:3" }, { PALIMPSEST_ADDRESS: "127.0.0.1:2", PALIMPSEST_TOKEN: "t" });
  expect(flag.get("address")).toMatchObject({
    value: "127.0.0.1:3",
    from: "--address",
    overrides: [{ from: "PALIMPSEST_ADDRESS" }, { from: file }],
  });
  // Files of settings come after the environment and before the files of this machine's head.
  mkdirSync(join(folder, "palimpsest"));
  const settingsFile = join(folder, "palimpsest/config.json");
  const tokenPath = join(folder, "dev/head/token");
  writeFileSync(settingsFile, JSON.stringify({ address: "127.0.0.1:5", tokenFile: tokenPath }, null, 1));
  const user = of({}, { XDG_CONFIG_HOME: folder });
  expect(user.get("address")).toMatchObject({ from: `${settingsFile}:2`, overrides: [{ from: file }] });
  expect(user.get("token")?.from).toBe(`${settingsFile}:3 (${tokenPath})`);
  const given = of({ address: "127.0.0.1:3", token: "t" }, { XDG_CONFIG_HOME: folder });
  expect(given.get("address")).toMatchObject({ from: "--address", overrides: [{ from: file }] });
  // A second head, that of `head start`, lives: both commands and this choose it.
  headIn(join(folder, "head"), "127.0.0.1:4");
  expect(of({}, {}).get("address")).toMatchObject({ value: "127.0.0.1:4", overrides: [{ from: file }] });
  expect(JSON.stringify([...flag.values()])).not.toContain("the-token-of-the-file");
  expect(flag.get("cache")).toMatchObject({ from: "default" });
});

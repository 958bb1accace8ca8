import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { cacheFolder, stateFolder } from "./user-folders.js";

it("reads empty variables as unset, and ignores relative ones of the XDG specification", () => {
  const state = join(homedir(), ".local/state/palimpsest");
  for (const given of ["", "here", "./state"]) {
    expect(stateFolder({ XDG_STATE_HOME: given, PALIMPSEST_DATA_DIR: "" })).toBe(state);
    expect(cacheFolder({ XDG_CACHE_HOME: given, PALIMPSEST_CACHE: "" })).toBe(
      join(homedir(), ".cache/palimpsest"),
    );
  }
  expect(stateFolder({ XDG_STATE_HOME: "/x" })).toBe("/x/palimpsest");
  expect(stateFolder({ XDG_STATE_HOME: "/x", PALIMPSEST_DATA_DIR: "data" })).toBe(resolve("data"));
  expect(cacheFolder({ XDG_CACHE_HOME: "/x", PALIMPSEST_CACHE: "/y" })).toBe("/y");
});

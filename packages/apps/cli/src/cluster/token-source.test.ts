import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { givenToken } from "@palimpsest/wire/local-head";
import { expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { resolveConnection } from "./connection.js";
import { givenClusterToken } from "./token-source.js";

const folder = fileFolder();

const file = join(folder, "token");
writeFileSync(file, "of-a-mounted-secret\n");

test("a file carries the token, the variable comes before it, and the flag before both", () => {
  const environment = { PALIMPSEST_TOKEN_FILE: file };
  expect(givenToken(undefined, environment)).toBe("of-a-mounted-secret");
  expect(givenClusterToken(undefined, environment)).toBe("of-a-mounted-secret");
  expect(givenToken(undefined, { ...environment, PALIMPSEST_TOKEN: "of-the-variable" })).toBe(
    "of-the-variable",
  );
  expect(givenToken("of-the-flag", environment)).toBe("of-the-flag");
  expect(givenToken(undefined, {})).toBeUndefined();
});

test("a head that a job starts takes no token of the job's driver", () => {
  const environment = { PALIMPSEST_TOKEN_FILE: file, PALIMPSEST_JOB_ID: "job-1" };
  expect(givenClusterToken(undefined, environment)).toBeUndefined();
  expect(givenToken(undefined, environment)).toBe("of-a-mounted-secret");
});

test("a file that is named and cannot be read, or is empty, is an error with its name", () => {
  const missing = { PALIMPSEST_TOKEN_FILE: join(folder, "none") };
  expect(() => givenToken(undefined, missing)).toThrow(
    /PALIMPSEST_TOKEN_FILE: .*none cannot be read: it does not exist: ENOENT; name/,
  );
  const empty = join(folder, "empty");
  writeFileSync(empty, "\n");
  expect(() => givenToken(undefined, { PALIMPSEST_TOKEN_FILE: empty })).toThrow(/empty is empty; write/);
});

test("commands that connect say so too, rather than that no token is known", () => {
  const before = process.env["PALIMPSEST_TOKEN_FILE"];
  process.env["PALIMPSEST_TOKEN_FILE"] = join(folder, "none");
  try {
    expect(() => resolveConnection({ address: "127.0.0.1:1", dataDir: folder })).toThrow(
      /PALIMPSEST_TOKEN_FILE: .*none cannot be read/,
    );
  } finally {
    if (before === undefined) delete process.env["PALIMPSEST_TOKEN_FILE"];
    else process.env["PALIMPSEST_TOKEN_FILE"] = before;
  }
});

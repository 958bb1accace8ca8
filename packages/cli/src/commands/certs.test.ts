import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadTls } from "@palimpsest/wire";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addCerts } from "./certs.js";
import { CommandRun } from "./testing.js";

const run = new CommandRun(addCerts);
const folder = mkdtempSync(join(tmpdir(), "certs-"));
const dir = join(folder, "certs");
const issue = (...words: string[]) => run.run("certs", "issue", "--dir", dir, ...words);

beforeAll(async () => {
  run.begin();
  await run.run("certs", "init", "--dir", dir);
  run.end();
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => run.begin());
afterEach(() => run.end());

describe("certs issue", () => {
  test("renews a certificate of the same role and name in its folder", async () => {
    const before = readFileSync(join(dir, "driver", "tls.crt"), "utf8");
    await issue("--role", "driver", "--name", "driver");
    expect(readFileSync(join(dir, "driver", "tls.crt"), "utf8")).not.toBe(before);
    expect(loadTls(join(dir, "driver"))).toMatchObject({ role: "driver", name: "driver" });
  });

  test.each([
    { what: "another role's folder", words: ["--role", "driver", "--name", "head"], in: "head" },
    {
      what: "a folder of another holder",
      words: ["--role", "driver", "--name", "alice", "--out", join(dir, "driver")],
      in: "driver",
    },
  ])("leaves $what as it is, and names both", async ({ words, in: name }) => {
    const before = readFileSync(join(dir, name, "tls.key"), "utf8");
    await expect(issue(...words)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      rawMessage: expect.stringMatching(new RegExp(`holds the certificate of role ${name}.*--out`)),
    });
    expect(readFileSync(join(dir, name, "tls.key"), "utf8")).toBe(before);
  });

  test("puts nothing beside the CA's key, and no name leads out of the folder", async () => {
    await expect(issue("--role", "driver", "--name", "ca")).rejects.toThrow(/holds the CA's key/);
    await expect(issue("--role", "driver", "--name", "../x")).rejects.toThrow(/--name: "..\/x".*--out/);
  });
});

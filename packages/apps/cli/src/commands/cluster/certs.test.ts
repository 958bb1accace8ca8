import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadTls } from "@palimpsest/wire";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fileFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addCerts } from "./certs.js";

const run = new CommandRun(addCerts);
const folder = fileFolder();
const dir = join(folder, "certs");
const issue = (...words: string[]) => run.run("certs", "issue", "--dir", dir, ...words);

beforeAll(async () => {
  run.begin();
  await run.run("certs", "init", "--dir", dir);
  run.end();
});
beforeEach(() => run.begin());
afterEach(() => run.end());

describe("certs issue", () => {
  test("renews a certificate of the same role and name in its folder", async () => {
    const before = readFileSync(join(dir, "driver", "tls.crt"), "utf8");
    await issue("--role", "driver", "--name", "driver");
    expect(readFileSync(join(dir, "driver", "tls.crt"), "utf8")).not.toBe(before);
    expect(loadTls(join(dir, "driver"))).toMatchObject({ role: "driver", name: "driver" });
  });

  test("is valid for as many days as are asked for", async () => {
    const out = join(folder, "visitor");
    await issue("--role", "reader", "--name", "visitor", "--days", "2", "--out", out);
    const { validFrom, validTo } = new X509Certificate(readFileSync(join(out, "tls.crt")));
    const days = (Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000;
    expect(Math.round(days)).toBe(2);
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

describe("certs revoke", () => {
  const revoke = (certificate: string) => run.run("certs", "revoke", certificate, "--dir", dir);
  const serialOf = (name: string) =>
    new X509Certificate(readFileSync(join(dir, name, "tls.crt"))).serialNumber.toUpperCase();
  const holders = ["head", "node", "node/actor", "node/driver", "driver", "reader"];

  test("names the certificate in every list there is, and in those of certificates that are made later", async () => {
    await issue("--role", "driver", "--name", "alice");
    await issue("--role", "driver", "--name", "bob");
    const [alice, bob] = [serialOf("alice"), serialOf("bob")];
    expect(await revoke(join(dir, "alice"))).toContain(`serial ${alice} is revoked, in 8 lists`);
    for (const name of holders) {
      expect(loadTls(join(dir, name)).revoked, name).toEqual(new Set([alice]));
    }
    // By its certificate and by its number; whoever is revoked twice is named once.
    await revoke(join(dir, "bob", "tls.crt"));
    await revoke(bob.toLowerCase());
    await issue("--role", "node", "--name", "late");
    for (const name of [...holders, "late", "late/actor", "late/driver"]) {
      expect(loadTls(join(dir, name)).revoked, name).toEqual(new Set([alice, bob]));
    }
    // A renewal of the holder has another number: it is believed again.
    await issue("--role", "driver", "--name", "alice");
    expect(loadTls(join(dir, "head")).revoked.has(serialOf("alice"))).toBe(false);
  });

  test.each([
    {
      what: "what is no certificate",
      certificate: "alice's laptop",
      expected: /neither a folder with tls.crt/,
    },
    { what: "a file of another kind", certificate: join(dir, ".gitignore"), expected: /nor a certificate/ },
  ])("refuses $what, and changes no list", async ({ certificate, expected }) => {
    const list = join(dir, "head", "revoked.txt");
    const before = existsSync(list) ? readFileSync(list, "utf8") : "";
    await expect(revoke(certificate)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      rawMessage: expect.stringMatching(expected),
    });
    expect(existsSync(list) ? readFileSync(list, "utf8") : "").toBe(before);
  });

  test("wants the folder of the CA", async () => {
    await expect(
      run.run("certs", "revoke", "00112233", "--dir", join(folder, "elsewhere")),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

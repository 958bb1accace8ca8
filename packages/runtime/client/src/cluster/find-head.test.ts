import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { awayError, findHead } from "./find-head.js";

/** A process id that no process has. */
const nobody = 2 ** 22 + 1;

interface Written {
  readonly pid?: number;
  readonly address?: string;
  readonly tls?: boolean;
  readonly token?: string;
  readonly startedAtMs?: number;
}

/** Writes what a head leaves in its data folder. */
function head(
  folder: string,
  { pid = process.pid, address = "127.0.0.1:1", token = "of-file", ...more }: Written = {},
) {
  mkdirSync(folder, { recursive: true });
  const facts = {
    clusterId: "c",
    cluster: "default",
    headId: "h",
    epoch: 1,
    metricsAddress: "",
    version: "0",
  };
  const file = { ...facts, startedAtMs: 1, ...more, address, pid, tokenPath: join(folder, "token") };
  writeFileSync(join(folder, "head.json"), JSON.stringify(file));
  writeFileSync(join(folder, "token"), `${token}\n`);
}

/** An environment in which the folder holds the data of this user's programs. */
const of = (folder: string, more: Record<string, string> = {}) => ({ PALIMPSEST_DATA_DIR: folder, ...more });

function refusal(work: () => unknown): PalimpsestError {
  try {
    work();
  } catch (reason) {
    if (reason instanceof PalimpsestError) return reason;
    throw reason;
  }
  throw new Error("nothing was refused");
}

test("this machine's token goes to no head that a file names, unless it is this machine's", () => {
  const folder = testFolder();
  head(join(folder, "head"));
  mkdirSync(join(folder, "palimpsest"));
  const environment = of(folder, { XDG_CONFIG_HOME: folder });
  const names = (address: string) =>
    writeFileSync(join(folder, "palimpsest/config.json"), JSON.stringify({ address }));
  names("elsewhere:1");
  expect(refusal(() => findHead({}, environment)).message).toMatch(/no token was found for elsewhere:1/);
  names("127.0.0.1:1");
  expect(findHead({}, environment)).toMatchObject({ address: "127.0.0.1:1", token: "of-file" });
});

test("what is given comes before the environment, and that before the files of this machine's head", () => {
  const folder = testFolder();
  head(join(folder, "head"));
  const environment = of(folder, { PALIMPSEST_ADDRESS: "env:2", PALIMPSEST_TOKEN: "of-env" });
  expect(findHead({}, of(folder))).toMatchObject({ address: "127.0.0.1:1", token: "of-file", tls: "" });
  expect(findHead({}, environment)).toMatchObject({ address: "env:2", token: "of-env" });
  expect(findHead({ address: "given:3", token: "given" }, environment)).toMatchObject({
    address: "given:3",
    token: "given",
  });
  const empty = {
    PALIMPSEST_ADDRESS: "",
    PALIMPSEST_TOKEN: "",
    PALIMPSEST_TOKEN_FILE: "",
    PALIMPSEST_TLS: "",
  };
  expect(findHead({}, of(folder, empty))).toMatchObject({ address: "127.0.0.1:1", token: "of-file" });
});

test("the head whose process lives is found, be it that of `head start` or of `dev`", () => {
  const folder = testFolder();
  head(join(folder, "dev/head"), { address: "127.0.0.1:2", token: "of-dev" });
  expect(findHead({}, of(folder))).toMatchObject({ address: "127.0.0.1:2", token: "of-dev" });
  head(join(folder, "head"), { pid: nobody });
  expect(findHead({}, of(folder))).toMatchObject({ address: "127.0.0.1:2" });
  head(join(folder, "head"));
  expect(findHead({}, of(folder))).toMatchObject({ address: "127.0.0.1:1" });
  // The token belongs to the address, whichever way the address is known.
  expect(findHead({ address: "127.0.0.1:2" }, of(folder))).toMatchObject({ token: "of-dev" });
  // A named folder is the only one.
  expect(findHead({ dataDir: join(folder, "dev/head") }, of(folder))).toMatchObject({
    address: "127.0.0.1:2",
  });
});

test("without a head, the error says what was looked at, where, and what starts one", () => {
  const folder = testFolder();
  const none = refusal(() => findHead({}, of(folder)));
  expect(none).toMatchObject({ code: "UNAVAILABLE", retryable: false });
  const { rawMessage } = none;
  for (const part of [
    "address",
    "PALIMPSEST_ADDRESS",
    join(folder, "head/head.json"),
    "palimpsest dev",
    "head start",
  ])
    expect(rawMessage).toContain(part);
  expect(rawMessage).toMatch(/^no head runs on this machine \(/);
  expect(refusal(() => findHead({}, of(folder), { flags: true })).rawMessage).toContain(
    "--address HOST:PORT",
  );
});

test("an address that names no port of a head is refused before anybody dials it", () => {
  const asked = (address: string) => () =>
    findHead({ address, token: "t".repeat(20) }, of(testFolder()), { flags: true });
  for (const wrong of ["localhost", "::1:7420", "http://a:1", ":1", "a:0", "a:65536", "a:99999", "a:1,b"])
    expect(refusal(asked(wrong)).rawMessage, wrong).toMatch(/^--address is ".*": give HOST:PORT/);
  for (const right of ["a:1", "[::1]:65535", " a:1 , b:2 "])
    expect(asked(right)(), right).toMatchObject({ address: right });
});

test("a head that was ended is named with its file; a worker may wait for its next start", () => {
  const folder = testFolder();
  head(join(folder, "head"), { pid: 0 });
  const error = refusal(() => findHead({}, of(folder)));
  expect(error).toMatchObject({ code: "UNAVAILABLE", retryable: false });
  expect(error.rawMessage).toContain(join(folder, "head/head.json"));
  expect(error.rawMessage).toContain("`palimpsest head start`");
  // It is the error of one that never ran, too.
  expect(error.rawMessage).toMatch(/^no head runs on this machine \(/);
  expect(findHead({}, of(folder), { mayHaveEnded: true })).toMatchObject({ address: "127.0.0.1:1" });
  head(join(folder, "head"), { pid: nobody });
  expect(findHead({}, of(folder))).toMatchObject({ address: "127.0.0.1:1" });
});

test("a head that does not answer is named with its address, and with what names it", () => {
  const folder = testFolder();
  head(join(folder, "head"), { pid: nobody });
  head(join(folder, "dev/head"), { pid: nobody, address: "127.0.0.1:2", startedAtMs: 2 });
  const refused = new PalimpsestError("UNAVAILABLE", "the head at 127.0.0.1:9 cannot be reached: because");
  // The newest of two that were killed is the one that was meant.
  const killed = findHead({}, of(folder));
  const said = awayError(killed, refused, of(folder));
  expect(said.code).toBe("UNAVAILABLE");
  expect(said.rawMessage).toBe(
    `the head at 127.0.0.1:2 does not answer: its process ${nobody} has ended; start it with \`palimpsest dev\`; ` +
      `${join(folder, "dev/head/head.json")} names this address`,
  );
  const given = findHead({ address: "127.0.0.1:9", token: "t" }, of(folder), { flags: true });
  expect(awayError(given, refused, of(folder)).rawMessage).toBe(
    "the head at 127.0.0.1:9 cannot be reached: because; --address names this address",
  );
  const named = findHead({ token: "t" }, of(folder, { PALIMPSEST_ADDRESS: "127.0.0.1:9" }));
  expect(awayError(named, refused, of(folder)).rawMessage).toContain(
    "; PALIMPSEST_ADDRESS names this address",
  );
  const denied = new PalimpsestError("UNAUTHENTICATED", "no");
  expect(awayError(killed, denied, of(folder))).toBe(denied);
});

test("without a token, the error says so, and which file was tried", () => {
  const folder = testFolder();
  const { code, rawMessage } = refusal(() => findHead({ address: "far:7420" }, of(folder)));
  expect(code).toBe("UNAUTHENTICATED");
  for (const part of ["PALIMPSEST_TOKEN", "PALIMPSEST_TOKEN_FILE", join(folder, "head/token")])
    expect(rawMessage).toContain(part);
});

test("a head with TLS needs a certificate, and one without must not be given one", () => {
  const folder = testFolder();
  head(join(folder, "head"), { tls: true });
  const missing = refusal(() => findHead({}, of(folder), { flags: true }));
  expect(missing).toMatchObject({ code: "CONFIG_INVALID" });
  expect(missing.rawMessage).toMatch(
    /^--tls is not given, and the head at 127.0.0.1:1 speaks TLS .*PALIMPSEST_TLS.*certs\/driver/,
  );
  expect(refusal(() => findHead({ address: "127.0.0.1:1" }, of(folder))).rawMessage).toContain("speaks TLS");
  expect(findHead({ tls: "/certs/driver" }, of(folder))).toMatchObject({ tls: "/certs/driver" });
  head(join(folder, "head"), { tls: false });
  const needless = refusal(() => findHead({}, of(folder, { PALIMPSEST_TLS: "/certs/driver" })));
  expect(needless.rawMessage).toMatch(/^PALIMPSEST_TLS is \/certs\/driver, but .* without TLS/);
  // The file of a head of an earlier version says neither.
  head(join(folder, "head"));
  expect(findHead({ tls: "/certs/driver" }, of(folder))).toMatchObject({ tls: "/certs/driver" });
});

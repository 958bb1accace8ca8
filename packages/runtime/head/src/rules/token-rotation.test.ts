import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Caller, roleToken } from "@palimpsest/wire";
import { tokenPathOf } from "@palimpsest/wire/local-head";
import type * as proto from "@palimpsest/wire/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { aConfig, quietLogger } from "../testing/builders.js";
import { ManualClock } from "../testing/manual-clock.js";
import { openCredentials } from "./head-credentials.js";
import { TokenRotation } from "./token-rotation.js";

const first = "the-first-token-of-all";
const graceMs = 60_000;
const settledMs = 2_000;
let dataDir: string;
beforeEach(() => {
  dataDir = testFolder();
});

const holder = (tokenRole: Caller["tokenRole"], superseded = false): Caller => ({
  tokenRole,
  tokenId: "",
  superseded,
  certificate: undefined,
});

function setUp() {
  const clock = new ManualClock();
  const credentials = openCredentials(aConfig({ dataDir, token: first }), clock);
  const deps = { dataDir, credentials, clock, logger: quietLogger() };
  return { clock, credentials, rotation: new TokenRotation(deps) };
}

async function rotated({ rotation, clock }: ReturnType<typeof setUp>): Promise<string> {
  const answer = rotation.rotate(holder("cluster"), graceMs);
  await clock.advance(settledMs);
  return (await answer).token ?? "";
}

describe("a rotation", () => {
  it("tells all to accept the new token before anybody uses it, each in its own role (ROTATION-1, ROTATION-3)", async () => {
    const { rotation, credentials, clock } = setUp();
    const told: [string, proto.NewToken.$Properties][] = [];
    rotation.follow(holder("cluster"), (message) => told.push(["node", message]));
    rotation.follow(holder("driver"), (message) => told.push(["driver", message]));
    const answers = [
      rotation.rotate(holder("cluster"), graceMs),
      rotation.rotate(holder("cluster"), graceMs),
    ];
    await clock.advance(1);
    expect(told.map(([who, { use }]) => [who, use])).toEqual([
      ["node", false],
      ["driver", false],
    ]);
    await clock.advance(settledMs);
    const tokens = (await Promise.all(answers)).map(({ token }) => token ?? "");
    const token = tokens[0] ?? "";
    // ROTATION-4: the second wish was the first one's.
    expect(tokens).toEqual([token, token]);
    expect(told.slice(2)).toMatchObject([
      ["node", { use: true, token }],
      ["driver", { use: true, token: roleToken(token, "driver") }],
    ]);
    expect(told).toHaveLength(4);
    expect(credentials.token).toBe(token);
    expect(readFileSync(tokenPathOf(dataDir), "utf8").trim()).toBe(token);
  });

  it("accepts the old token until its grace is over, and tells its holders the new one (ROTATION-2)", async () => {
    const head = setUp();
    const token = await rotated(head);
    const { rotation, credentials, clock } = head;
    expect(credentials.identify(`Bearer ${first}`)).toMatchObject({ role: "cluster", superseded: true });
    const told: proto.NewToken.$Properties[] = [];
    rotation.follow(holder("cluster", true), (message) => told.push(message));
    expect(told).toEqual([{ token, use: true, graceMs: graceMs - settledMs }]);
    clock.sleep(graceMs);
    expect(credentials.identify(`Bearer ${first}`)).toBeUndefined();
  });

  it("fails when a stolen token is replaced meanwhile, and tells nobody that one's successor (ROTATION-4, ROTATION-5)", async () => {
    const { rotation, credentials, clock } = setUp();
    const routine = rotation.rotate(holder("cluster"), graceMs);
    const failed = expect(routine).rejects.toMatchObject({ code: "UNAVAILABLE", retryable: true });
    const told: proto.NewToken.$Properties[] = [];
    rotation.follow(holder("cluster"), (message) => told.push(message));
    const { token } = await rotation.rotate(holder("cluster"), 0, true);
    await clock.advance(settledMs);
    await failed;
    expect(credentials.token).toBe(token);
    expect(told).toEqual([]);
    const next = rotation.rotate(holder("cluster"), graceMs);
    await clock.advance(settledMs);
    expect((await next).token).toBe(credentials.token);
  });

  it("HEAD-CREDENTIALS-1: the files have the new token before it is accepted", async () => {
    const head = setUp();
    const inFile: string[] = [];
    head.credentials.onChange(() => inFile.push(readFileSync(tokenPathOf(dataDir), "utf8").trim()));
    const token = await rotated(head);
    expect(inFile[0]).toBe(token);
  });

  it("is for holders of the cluster's own token", async () => {
    const { rotation } = setUp();
    await expect(rotation.rotate(holder("driver"), graceMs)).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
    await expect(rotation.rotate(holder("cluster"), 1)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("reaches those who may read one file and not the head's folder; other files stay the head's user's", async () => {
    const shared = mkdtempSync(join(tmpdir(), "palimpsest-readers-"));
    const readerTokenFile = join(shared, "reader-token");
    const before = process.umask(0o077);
    try {
      const clock = new ManualClock();
      const credentials = openCredentials(aConfig({ dataDir, token: first, readerTokenFile }), clock);
      expect(readFileSync(readerTokenFile, "utf8")).toBe(`${roleToken(first, "reader")}\n`);
      const rotation = new TokenRotation({ dataDir, credentials, clock, logger: quietLogger() });
      const token = await rotated({ clock, credentials, rotation });
      expect(readFileSync(readerTokenFile, "utf8")).toBe(`${roleToken(token, "reader")}\n`);
      const modeOf = (path: string) => statSync(path).mode & 0o777;
      expect(modeOf(readerTokenFile)).toBe(0o644);
      for (const own of ["token", "reader-token"]) expect(modeOf(join(dataDir, own)), own).toBe(0o600);
    } finally {
      process.umask(before);
      rmSync(shared, { recursive: true });
    }
    expect(() => openCredentials(aConfig({ dataDir, readerTokenFile }), new ManualClock())).toThrow(
      /readerTokenFile: .*reader-token cannot be written: it does not exist/,
    );
  });

  it("outlives its head: the old token has the rest of its grace, and does not come back (HEAD-CREDENTIALS-2)", async () => {
    const head = setUp();
    const token = await rotated(head);
    const startedAgain = () => openCredentials(aConfig({ dataDir, token: first }), head.clock);
    expect(startedAgain().token).toBe(token);
    expect(startedAgain().identify(`Bearer ${first}`)?.superseded).toBe(true);
    expect(startedAgain().graceLeftMs).toBe(graceMs - settledMs);
    head.clock.sleep(graceMs);
    expect(startedAgain().identify(`Bearer ${first}`)).toBeUndefined();
  });
});

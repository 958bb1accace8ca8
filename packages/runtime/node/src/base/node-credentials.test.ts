/** Certificates of a node and of its actors that are renewed while the node runs. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tlsFiles } from "@palimpsest/wire";
import { issueCertificate, makeAuthority, type Pem } from "@palimpsest/wire/certificates";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { NodeCredentials } from "./node-credentials.js";

const watchEveryMs = 2_000;

let authority: Pem;
let folder: string;
beforeEach(async () => {
  folder = testFolder();
  authority = await makeAuthority("test", 1);
});
afterEach(() => vi.useRealTimers());

/** Writes new certificates of a node and its actors, as `certs issue` and a copy to the machine do; returns the actors'. */
async function issue(tls: string): Promise<string> {
  const node = await issueCertificate(authority, { role: "node", name: "n", days: 1 });
  const actor = await issueCertificate(authority, { role: "actor", name: "a", days: 1 });
  for (const [to, { cert, key }] of [
    [tls, node],
    [join(tls, "actor"), actor],
  ] as const) {
    mkdirSync(to, { recursive: true });
    writeFileSync(join(to, tlsFiles.ca), authority.cert);
    writeFileSync(join(to, tlsFiles.cert), cert);
    writeFileSync(join(to, tlsFiles.key), key);
  }
  return actor.cert;
}

it("hands actors their renewed certificate with the node's, never the node's renewal with their old one", async () => {
  const tls = join(folder, "tls");
  await issue(tls);
  const credentials = NodeCredentials.open({
    token: "token",
    tls,
    insecure: false,
    listenHost: "127.0.0.1",
    dataDir: join(folder, "data"),
  });
  vi.useFakeTimers();
  const problems: unknown[] = [];
  const stop = credentials.watch((reason) => problems.push(reason));
  const handed: string[] = [];
  credentials.own.onChange(() => handed.push(String(credentials.forActor().certificate)));
  const renewed = await issue(tls);
  vi.advanceTimersByTime(watchEveryMs);
  stop();
  expect(new Set(handed)).toEqual(new Set([renewed]));
  expect(problems).toEqual([]);
});

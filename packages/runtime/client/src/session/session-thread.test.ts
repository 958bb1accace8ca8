import { spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Credentials, loadTls, type TlsIdentity, tlsFiles } from "@palimpsest/wire";
import { issueCertificate, makeAuthority, type Pem } from "@palimpsest/wire/certificates";
import { afterEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { connect } from "../cluster/connect.js";
import { FakeHead } from "../testing/fake-head.js";

const clusterModule = new URL("../../dist/cluster/connect.js", import.meta.url).href;

let head: FakeHead | undefined;
afterEach(() => head?.kill());

/** A driver that blocks its main thread as soon as it is connected. */
function blockedDriver({ address, token }: FakeHead, tls = "") {
  const program = `
    import { connect } from ${JSON.stringify(clusterModule)};
    await connect(${JSON.stringify({ address, token, tls })});
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
  return spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
}

/** Writes a new certificate of the role into a folder. */
async function issue(authority: Pem, role: "head" | "driver", folder: string): Promise<TlsIdentity> {
  const { cert, key } = await issueCertificate(authority, { role, name: role, days: 1 });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, tlsFiles.ca), authority.cert);
  writeFileSync(join(folder, tlsFiles.key), key);
  writeFileSync(join(folder, tlsFiles.cert), cert);
  return loadTls(folder);
}

test("SESSION-5: a driver that blocks in the turn in which it is connected keeps its lease all the same", async () => {
  head = await FakeHead.start();
  head.sessionLeaseMs = 400;
  const driver = blockedDriver(head);
  try {
    // Hello of its main thread, hello of the other one, then renewals, which the blocked one cannot send.
    await expect.poll(() => head?.sessions.length).toBeGreaterThan(5);
    const hellos = head.sessions.filter(({ pid }) => pid === driver.pid);
    expect(hellos.length).toBeGreaterThanOrEqual(2);
    expect(new Set(head.sessions.map(({ sessionId }) => sessionId)).size).toBe(1);
  } finally {
    driver.kill("SIGKILL");
    await once(driver, "exit");
  }
});

test("SESSION-5: a blocked driver keeps its session when its certificate is renewed and the old one revoked", async () => {
  const folder = testFolder();
  const authority = await makeAuthority("test", 1);
  const own = await issue(authority, "head", join(folder, "head"));
  const before = await issue(authority, "driver", join(folder, "driver"));
  head = new FakeHead();
  head.sessionLeaseMs = 400;
  head.credentials = Credentials.ofCluster(head.token, { tls: own });
  await head.listen(0);
  const driver = blockedDriver(head, join(folder, "driver"));
  try {
    await expect.poll(() => head?.sessions.length).toBeGreaterThan(5);
    await issue(authority, "driver", join(folder, "driver"));
    // Revoked at once, before the driver can have read its renewal: its connection ends.
    head.credentials.replaceTls({
      ...own,
      revoked: new Set([new X509Certificate(before.cert).serialNumber]),
    });
    head.sessions.length = 0;
    await expect.poll(() => head?.sessions.length).toBeGreaterThan(5);
    expect(head.sessions[0]).toMatchObject({ pid: driver.pid });
  } finally {
    driver.kill("SIGKILL");
    await once(driver, "exit");
  }
});

test("SESSION-6: a driver that ends at once says goodbye, whoever has its session by then", async () => {
  head = await FakeHead.start();
  for (let round = 1; round <= 3; round++) {
    const cluster = await connect({ address: head.address, token: head.token });
    await cluster.close();
    const left = head.sessions.filter(({ goodbye, sessionId }) => goodbye && sessionId === cluster.sessionId);
    expect(left).toHaveLength(1);
  }
});

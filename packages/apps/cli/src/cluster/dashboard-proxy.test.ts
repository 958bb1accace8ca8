import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { issueCertificate, makeAuthority, type Pem } from "@palimpsest/wire/certificates";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { type DashboardProxy, serveDashboardProxy } from "./dashboard-proxy.js";

const authority = await makeAuthority("test cluster", 1);
const headPem = await issueCertificate(authority, { role: "head", name: "head", days: 1 });
let folder: string;
let head: Server | undefined;
let proxy: DashboardProxy | undefined;

function write({ cert, key }: Pem): void {
  writeFileSync(join(folder, "ca.crt"), authority.cert);
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
}

beforeEach(async () => {
  folder = join(testFolder(), "driver");
  mkdirSync(folder);
  write(await issueCertificate(authority, { role: "driver", name: "first", days: 1 }));
});
afterEach(async () => {
  await proxy?.close();
  head?.closeAllConnections();
  head?.close();
});

/** Starts a head's dashboard that answers by path, and a proxy in front of it. */
async function start(pem = headPem): Promise<string> {
  head = createServer(
    { ...pem, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    (asked, answer) => {
      const name = (asked.socket as TLSSocket).getPeerCertificate().subject.CN;
      if (asked.url === "/breaks") answer.write("half", () => asked.socket.destroy());
      else if (asked.url === "/echo") asked.pipe(answer);
      else
        answer
          .writeHead(201, { "set-cookie": ["a=1; Path=/; Secure; HttpOnly", "b=2; Path=/"], "x-owner": name })
          .end(asked.url);
    },
  ).listen(0, "127.0.0.1");
  await once(head, "listening");
  proxy = await serveDashboardProxy(`127.0.0.1:${(head.address() as AddressInfo).port}`, folder);
  return `http://${proxy.address}`;
}

test("requests and answers pass with this user's certificate, the renewed one too, and cookies without Secure", async () => {
  const address = await start();
  const answer = await fetch(`${address}/api/jobs?limit=5`);
  expect([answer.status, await answer.text()]).toEqual([201, "/api/jobs?limit=5"]);
  expect(answer.headers.getSetCookie()).toEqual(["a=1; Path=/; HttpOnly", "b=2; Path=/"]);
  expect(answer.headers.get("x-owner")).toBe("first");
  const body = "日本語".repeat(200_000);
  expect(await (await fetch(`${address}/echo`, { method: "POST", body })).text()).toBe(body);
  write(await issueCertificate(authority, { role: "driver", name: "renewed", days: 1 }));
  expect((await fetch(address)).headers.get("x-owner")).toBe("renewed");
});

test("a stream that the head breaks off breaks off, and what cannot be reached is said", async () => {
  const address = await start();
  const broken = await fetch(`${address}/breaks`);
  await expect(broken.text()).rejects.toThrow();
  rmSync(join(folder, "tls.key"));
  const without = await fetch(address);
  expect([without.status, await without.text()]).toEqual([502, expect.stringContaining("tls.key")]);
  write(await issueCertificate(authority, { role: "driver", name: "again", days: 1 }));
  expect((await fetch(address)).status).toBe(201);
  head?.closeAllConnections();
  head?.close();
  const gone = await fetch(address);
  expect([gone.status, await gone.text()]).toEqual([502, expect.stringContaining("cannot be reached")]);
});

test("a server that is no head of this cluster is sent nothing", async () => {
  const address = await start(await issueCertificate(authority, { role: "node", name: "node", days: 1 }));
  const answer = await fetch(address, { headers: { authorization: "Bearer secret" } });
  expect(answer.status).toBe(502);
});

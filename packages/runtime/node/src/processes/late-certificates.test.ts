import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { issueCertificate, makeAuthority } from "@palimpsest/wire/certificates";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { lateCertificates } from "./late-certificates.js";
import { WorkerProcess } from "./worker-process.js";

const preload = fileURLToPath(new URL("../../../worker/dist/base/late-certificates.cjs", import.meta.url));

/** Connects in the program, in a thread of it and in a process that it forks; writes what came of each. */
const connecting = `
  import { fork } from "node:child_process";
  import { once } from "node:events";
  import { get } from "node:https";
  import { isMainThread, Worker } from "node:worker_threads";
  const url = process.env.URL_TO_GET;
  const viaHttps = new Promise((resolve) => {
    get(url, ({ statusCode }) => resolve(statusCode)).on("error", ({ code }) => resolve(code));
  });
  const viaFetch = fetch(url).then(({ status }) => status, ({ cause }) => cause.code);
  const where = process.argv[2] ?? (isMainThread ? "main" : "thread");
  process.stderr.write([where, await viaHttps, await viaFetch, process.env.NODE_EXTRA_CA_CERTS].join(" ") + "\\n");
  if (where === "main" && !process.env.ALONE) {
    await once(new Worker(new URL(import.meta.url)), "exit");
    await once(fork(import.meta.filename, ["forked"]), "exit");
  }
  process.exit();
`;

const folder = fileFolder();
let server: Server;
let extra: string;

beforeAll(async () => {
  const authority = await makeAuthority("test", 1);
  const pem = await issueCertificate(authority, { role: "node", name: "n", days: 1, hosts: ["localhost"] });
  extra = join(folder, "extra.pem");
  await writeFile(extra, authority.cert);
  await writeFile(join(folder, "program.mjs"), connecting);
  server = createServer({ key: pem.key, cert: pem.cert }, (_request, response) => response.end());
  await once(server.listen(0, "localhost"), "listening");
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function linesOf(environment: Record<string, string>): Promise<readonly string[]> {
  const program = { path: join(folder, "program.mjs"), flags: [], lateCertificates: preload };
  const { port } = server.address() as AddressInfo;
  const all = { URL_TO_GET: `https://localhost:${port}/`, ...environment };
  const { process } = WorkerProcess.spawn({ program, environment: all });
  const { lastStderrLines } = await process.ended;
  return lastStderrLines;
}

test("a process trusts the certificates of NODE_EXTRA_CA_CERTS, in its threads and in what it forks", async () => {
  const lines = ["main", "thread", "forked"].map((where) => `${where} 200 200 ${extra}`);
  expect(await linesOf({ NODE_EXTRA_CA_CERTS: extra })).toEqual(lines);
});

test("it trusts no others, and says that it cannot read them", async () => {
  const lines = await linesOf({ NODE_EXTRA_CA_CERTS: join(folder, "absent.pem"), ALONE: "yes" });
  expect(lines[0]).toMatch(/Ignoring extra certs from .*absent\.pem, load failed: .*ENOENT/);
  expect(lines.find((line) => line.startsWith("main"))).toMatch(/^main [A-Z_]+ [A-Z_]+ /);
});

test("Node.js reads the file itself where it adds its certificates to those of the system", () => {
  const environment = { NODE_EXTRA_CA_CERTS: extra, NODE_OPTIONS: "--use-openssl-ca" };
  expect(lateCertificates(environment, preload)).toEqual({ environment, flags: [] });
});

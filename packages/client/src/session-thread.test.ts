import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { connect } from "./cluster.js";
import { FakeHead } from "./testing/fake-head.js";

const clusterModule = new URL("../dist/cluster.js", import.meta.url).href;

let head: FakeHead | undefined;
afterEach(() => head?.kill());

test("SESSION-5: a driver that blocks in the turn in which it is connected keeps its lease all the same", async () => {
  head = await FakeHead.start();
  head.sessionLeaseMs = 400;
  const program = `
    import { connect } from ${JSON.stringify(clusterModule)};
    await connect({ address: ${JSON.stringify(head.address)}, token: ${JSON.stringify(head.token)} });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
  const driver = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
  try {
    // Hello of its main thread, hello of the other one, then renewals, which the blocked one cannot send.
    await expect.poll(() => head?.sessions.length, { timeout: 25_000 }).toBeGreaterThan(5);
    const hellos = head.sessions.filter(({ pid }) => pid === driver.pid);
    expect(hellos.length).toBeGreaterThanOrEqual(2);
    expect(new Set(head.sessions.map(({ sessionId }) => sessionId)).size).toBe(1);
  } finally {
    driver.kill("SIGKILL");
    await once(driver, "exit");
  }
}, 30_000);

test("SESSION-6: a driver that ends at once says goodbye, whoever has its session by then", async () => {
  head = await FakeHead.start();
  for (let round = 1; round <= 3; round++) {
    const cluster = await connect({ address: head.address, token: head.token });
    await cluster.close();
    const left = head.sessions.filter(({ goodbye, sessionId }) => goodbye && sessionId === cluster.sessionId);
    expect(left).toHaveLength(1);
  }
});

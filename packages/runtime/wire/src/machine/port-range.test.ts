import { createServer, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { listenWithin } from "./port-range.js";

/** Listens as a server of a process does. */
async function listen(port: number): Promise<number> {
  const server: Server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new PalimpsestError("UNAVAILABLE", "cannot listen", { cause })));
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("processes share a range of ports, and the one after the last is told", async () => {
  const free = await listen(0);
  expect(free).toBeGreaterThan(0);
  // A port that is taken is passed over, wherever the search begins.
  const taken = new Set([free]);
  const range = { first: free, last: Math.min(free + 3, 65_535) };
  for (let at = range.first; at < range.last; at += 1) {
    const port = await listenWithin(range, listen).catch((reason: unknown) => {
      // Another program of this machine may have one of them.
      expect(String(reason)).toContain("is free");
      return undefined;
    });
    if (port === undefined) break;
    expect(taken).not.toContain(port);
    expect(port).toBeGreaterThan(range.first);
    expect(port).toBeLessThanOrEqual(range.last);
    taken.add(port);
  }
  await expect(listenWithin({ first: free, last: free }, listen)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringContaining(`none of the ports ${free}-${free} is free`),
  });
});

test("a failure of another kind is no taken port", async () => {
  let tries = 0;
  const broken = () => {
    tries += 1;
    return Promise.reject(new Error("no permission"));
  };
  await expect(listenWithin({ first: 20_000, last: 20_999 }, broken)).rejects.toThrow("no permission");
  expect(tries).toBe(1);
  expect(await listenWithin(undefined, (port) => Promise.resolve(port))).toBe(0);
});

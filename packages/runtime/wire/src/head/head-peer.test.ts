import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "@palimpsest/std";
import { expect, onTestFinished, test } from "vitest";
import { grpcNetwork } from "../network/grpc-network.js";
import { servePart } from "../network/handlers.js";
import { unary } from "../network/server.js";
import { headService } from "../protocol/services.js";
import { HeadPeer } from "./head-peer.js";

const network = grpcNetwork({ token: "token" });

async function aHead(version: string, answers = true): Promise<string> {
  const server = network.createServer();
  const getCluster = unary(() => (answers ? { version } : new Promise<never>(() => undefined)));
  servePart(server, headService, { getCluster, session: () => undefined });
  onTestFinished(() => server.kill());
  return server.listen("127.0.0.1", 0);
}

function peerOf(addresses: readonly string[], clock?: Clock): HeadPeer {
  const peer = new HeadPeer(network, addresses.join(","), clock);
  onTestFinished(() => peer.close());
  return peer;
}

test("HEADPEER-1: after UNAVAILABLE the next call goes to the next head", async () => {
  const gone = network.createServer();
  const address = await gone.listen("127.0.0.1", 0);
  gone.kill();
  const peer = peerOf([address, await aHead("second")]);
  const ask = () => peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
  await expect(ask()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await ask()).toMatchObject({ version: "second" });
});

test("HEADPEER-1: a web server at an address is no head: that is said, and the next one is asked", async () => {
  const web = createServer((_request, response) => response.writeHead(404).end("not found"));
  onTestFinished(() => void web.close());
  await once(web.listen(0, "127.0.0.1"), "listening");
  const { port } = web.address() as AddressInfo;
  const peer = peerOf([`127.0.0.1:${port}`, await aHead("second")]);
  const ask = () => peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
  await expect(ask()).rejects.toThrow("a web server or a proxy answers there (HTTP 404)");
  expect(await ask()).toMatchObject({ version: "second" });
});

test("HEADPEER-2: a head that answers no probe is left, and what is under way there ends with UNAVAILABLE", async () => {
  // Probes begin at once; their deadline is that of production.
  const eager: Clock = { ...systemClock, after: (_delayMs, callback) => systemClock.after(0, callback) };
  const addresses = [await aHead("silent", false), await aHead("second")];
  const peer = peerOf(addresses, eager);
  const ended = new Promise<unknown>((resolve) => peer.bidi(headService.session).on("error", resolve));
  const call = peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
  await expect(call).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await ended).toMatchObject({ code: "UNAVAILABLE" });
  expect(peer.address).toBe(addresses[1]);
});

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

test("HEADPEER-3: a peer that is used learns of a standby that came later, unless the head can have none", async () => {
  const second = await aHead("second");
  const first = async (redisPid: number) => {
    const head = { address: "", asked: 0 };
    const server = network.createServer();
    const getCluster = unary(() => {
      head.asked++;
      return { redisPid, headAddresses: head.asked > 1 ? [head.address, second] : [head.address] };
    });
    servePart(server, headService, { getCluster, session: () => undefined });
    onTestFinished(() => server.kill());
    head.address = await server.listen("127.0.0.1", 0);
    return head;
  };
  const clock = new SteppedClock();
  const [idle, used] = [await first(0), await first(0)];
  const unused = peerOf([idle.address], clock);
  const peer = peerOf([used.address], clock);
  peer.bidi(headService.session).on("error", () => undefined);
  await expect
    .poll(() => {
      clock.step();
      return peer.addresses;
    })
    .toContain(second);
  expect([unused.addresses, idle.asked]).toEqual([idle.address, 0]);
  const own = new SteppedClock();
  const head = await first(7);
  const alone = peerOf([head.address], own);
  const ask = () => alone.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
  alone.bidi(headService.session).on("error", () => undefined);
  own.step();
  await expect.poll(() => head.asked).toBe(1);
  // The answer to the probe has been read before that to a later call.
  await ask();
  own.step();
  await ask();
  expect(head.asked).toBe(3);
});

/** A clock whose timers run when the test says so. */
class SteppedClock implements Clock {
  #due: (() => void)[] = [];
  readonly now = () => 0;
  readonly monotonicMs = () => 0;

  after(_delayMs: number, callback: () => void): () => void {
    this.#due.push(callback);
    return () => {
      this.#due = this.#due.filter((one) => one !== callback);
    };
  }

  step(): void {
    for (const run of this.#due.splice(0)) run();
  }
}

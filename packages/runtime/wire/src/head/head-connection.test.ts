import { expect, test } from "vitest";
import { grpcNetwork } from "../network/grpc-network.js";
import { servePart } from "../network/handlers.js";
import { unary } from "../network/server.js";
import { headService } from "../protocol/services.js";
import { HeadConnection } from "./head-connection.js";

const network = grpcNetwork({ token: "token" });

async function aHead() {
  const server = network.createServer();
  servePart(server, headService, { getCluster: unary(() => ({})) });
  return { address: await server.listen("127.0.0.1", 0), server };
}

test("HEADS-1, HEADS-2: failures on one channel move once, which closes it and tells every listener", async () => {
  const [one, two, three] = [await aHead(), await aHead(), await aHead()];
  const heads = new HeadConnection(network, [one, two, three].map(({ address }) => address).join(","));
  const told: string[] = [];
  heads.onMoved(() => told.push(heads.peer.address));
  heads.onMoved(() => told.push(heads.peer.address));
  const first = heads.peer;
  const ask = () => first.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
  await ask();
  for (let failure = 0; failure < 3; failure++) heads.failed(first);
  expect(told).toEqual([two.address, two.address]);
  expect(heads.peer.address).toBe(two.address);
  await expect(ask()).rejects.toThrow();
  heads.close();
  for (const { server } of [one, two, three]) server.kill();
});

test("HEADS-3: given addresses stay; those that a head told are replaced by the next list", () => {
  const heads = new HeadConnection(network, "a:1, b:1");
  heads.learn(["c:1", "b:1"]);
  expect(heads.addresses).toBe("a:1,b:1,c:1");
  heads.learn([]);
  expect(heads.addresses).toBe("a:1,b:1,c:1");
  heads.learn(["d:1"]);
  expect(heads.addresses).toBe("a:1,b:1,d:1");
  heads.close();
});

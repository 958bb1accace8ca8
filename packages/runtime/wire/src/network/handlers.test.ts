import { expect, test } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { type nodeLogsService, objectsService } from "../protocol/services.js";
import { grpcNetwork } from "./grpc-network.js";
import { refusals, type ServiceHandlers } from "./handlers.js";
import { unary } from "./server.js";

test("a service without one of its methods does not compile, nor one with a handler of another kind", () => {
  // @ts-expect-error link, hold and the others are missing
  const missing: ServiceHandlers<typeof objectsService> = { stat: unary(() => ({})) };
  // @ts-expect-error GetLog answers with a stream
  const wrongKind: ServiceHandlers<typeof nodeLogsService> = { getLog: unary(() => ({})) };
  // @ts-expect-error a Stat is answered with a size in numbers
  const wrongAnswer = { ...missing, stat: unary(() => ({ sizeBytes: "7" })) } satisfies typeof missing;
  expect([missing, wrongKind, wrongAnswer].map((handlers) => Object.keys(handlers))).toEqual([
    ["stat"],
    ["getLog"],
    ["stat"],
  ]);
});

test("a server that refuses a service fails its unary calls and its streams with the same error", async () => {
  const network = grpcNetwork({ token: "token" });
  const server = network.createServer();
  server.addService(
    objectsService,
    refusals(objectsService, new PalimpsestError("UNAVAILABLE", "another head leads")),
  );
  const peer = network.connect(await server.listen("127.0.0.1", 0));
  const refused = { code: "UNAVAILABLE", rawMessage: "another head leads" };
  await expect(peer.unary(objectsService.stat, {}, { timeoutMs: 600_000 })).rejects.toMatchObject(refused);
  const put = peer.clientStream(objectsService.put);
  put.stream.end();
  await expect(put.response).rejects.toMatchObject(refused);
  await expect(peer.serverStream(objectsService.pull, {}).toArray()).rejects.toMatchObject({
    details: "another head leads",
  });
  peer.close();
  server.kill();
});

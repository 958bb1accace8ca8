import { expect, onTestFinished, test } from "vitest";
import { headService } from "../protocol/services.js";
import { Credentials } from "../security/credentials.js";
import { grpcNetwork } from "./grpc-network.js";
import { servePart } from "./handlers.js";
import { unary } from "./server.js";

test("CONNECTIONS-2: without TLS a token that is refused at once ends the connections on which no other was given", async () => {
  const head = Credentials.ofCluster("old");
  const server = grpcNetwork({ credentials: head }).createServer();
  servePart(server, headService, { getCluster: unary(() => ({})), session: () => undefined });
  onTestFinished(() => server.kill());
  const address = await server.listen("127.0.0.1", 0);
  const connect = async () => {
    const credentials = Credentials.ofCluster("old");
    const peer = grpcNetwork({ credentials }).connect(address);
    onTestFinished(() => peer.close());
    const call = () => peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    await call();
    const stream = peer.bidi(headService.session);
    let open = true;
    const ended = new Promise<void>((resolve) => {
      stream.on("error", () => {
        open = false;
        resolve();
      });
    });
    return { credentials, call, ended, isOpen: () => open };
  };
  const [thief, member] = [await connect(), await connect()];
  head.accept("new");
  member.credentials.rotate("new", 0);
  await member.call();
  head.rotate("new", 0);
  await thief.ended;
  await expect(thief.call()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await member.call();
  expect(member.isOpen()).toBe(true);
});

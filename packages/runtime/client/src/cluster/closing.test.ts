/** Connections that are closed while those that they wait for say nothing. */
import { type Clock, systemClock } from "@palimpsest/std";
import { grpcNetwork, HeadPeer } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Session } from "../session/session.js";
import { FakeHead } from "../testing/fake-head.js";
import { connect } from "./connect.js";

let head: FakeHead;

beforeEach(async () => {
  head = await FakeHead.start();
});

afterEach(() => head.kill());

const options = {
  sessionId: "session-test",
  name: "test",
  jobId: "",
  namespace: "",
  onActorDied: () => undefined,
};
const goodbyes = () => head.sessions.filter(({ goodbye }) => goodbye).length;

test("a session that was released says goodbye when it is closed, and does not wait for the head to end its stream (SESSION-2, SESSION-8)", async () => {
  const peer = new HeadPeer(grpcNetwork({ token: head.token }), head.address);
  const session = await Session.open(peer, options, 20_000);
  session.release();
  await session.close();
  expect(goodbyes()).toBe(1);
  peer.close();
});

test("a session is closed although its head hears the goodbye and keeps the stream (SESSION-8)", async () => {
  const peer = new HeadPeer(grpcNetwork({ token: head.token }), head.address);
  let isClosing = false;
  const clock: Clock = {
    ...systemClock,
    // What is waited for while it closes is over as soon as the head has heard the goodbye.
    after(delayMs, callback) {
      if (!isClosing) return systemClock.after(delayMs, callback);
      let isCancelled = false;
      void expect
        .poll(goodbyes)
        .toBe(1)
        .then(() => isCancelled || callback());
      return () => {
        isCancelled = true;
      };
    },
  };
  const session = await Session.open(peer, { ...options, clock }, 20_000);
  head.isMute = true;
  isClosing = true;
  await Promise.all([session.close(), session.close(true)]);
  peer.close();
});

test("`await using` closes a connection at the end of its block, also when that throws", async () => {
  const work = async () => {
    await using cluster = await connect({ address: head.address, token: head.token, name: "test" });
    throw new Error(cluster.facts.clusterId);
  };
  await expect(work()).rejects.toThrow();
  expect(goodbyes()).toBe(1);
});

test("a connection is closed while it asks for the node of its values, which nobody names (NODECONNECTION-2)", async () => {
  const cluster = await connect({ address: head.address, token: head.token, name: "test" });
  head.isMute = true;
  const put = cluster.put(new Uint8Array(200_000));
  const object = cluster.objects.put(new Uint8Array(10));
  const failed = Promise.all([put, object].map((one) => expect(one).rejects.toMatchObject({})));
  head.isMute = false;
  await cluster.close();
  await failed;
});

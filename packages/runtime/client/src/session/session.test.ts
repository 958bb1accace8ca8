import { type Clock, systemClock } from "@palimpsest/std";
import { grpcNetwork, HeadPeer, PalimpsestError } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeHead } from "../testing/fake-head.js";
import { Session } from "./session.js";
import { SessionThread } from "./session-thread.js";

let head: FakeHead;
let peer: HeadPeer;
let lost: PalimpsestError[];

beforeEach(async () => {
  head = await FakeHead.start();
  peer = new HeadPeer(grpcNetwork({ token: head.token }), head.address);
  lost = [];
});

afterEach(() => {
  peer.close();
  head.kill();
});

const options = () => ({
  sessionId: "session-test",
  name: "test",
  jobId: "",
  namespace: "",
  onActorDied: () => undefined,
  onLost: (error: PalimpsestError) => void lost.push(error),
});

async function restart(): Promise<void> {
  const { port } = head;
  head.kill();
  head.sessions.length = 0;
  await head.listen(port);
}

test("only a refusal of the session ends it, a break does not, and onLost says so once (SESSION-3)", async () => {
  const session = await Session.open(peer, options(), 20_000);
  await restart();
  await expect.poll(() => head.sessions.length).toBe(1);
  expect(lost).toEqual([]);
  head.refusal = new PalimpsestError("OWNER_DIED", "the session was away for too long");
  await restart();
  await expect.poll(() => lost.length).toBe(1);
  expect(lost).toMatchObject([{ code: "OWNER_DIED" }]);
  // It is over: there is nothing to say goodbye to, and no other attempt.
  await session.close();
  expect(head.sessions).toHaveLength(1);
  expect(lost).toHaveLength(1);
});

test("four renewals are sent within the head's session lease (SESSION-4)", async () => {
  head.sessionLeaseMs = 40_000;
  const timers: { delayMs: number; callback: () => void }[] = [];
  const clock: Clock = {
    ...systemClock,
    // What waits for a quarter of the lease is a renewal, and is due when the test says so.
    after(delayMs, callback) {
      if (delayMs !== 10_000) return systemClock.after(delayMs, callback);
      const timer = { delayMs, callback };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  const session = await Session.open(peer, { ...options(), clock }, 5_000);
  for (let renewals = 1; renewals <= 4; renewals++) {
    expect(timers).toHaveLength(1);
    timers.shift()?.callback();
    await expect.poll(() => head.sessions.length).toBe(1 + renewals);
  }
  expect(new Set(head.sessions.map(({ sessionId }) => sessionId))).toEqual(new Set(["session-test"]));
  await session.close();
});

test("a thread that never comes up loses nothing: this one keeps the session (SESSION-7)", async () => {
  const { credentials } = grpcNetwork({ token: head.token });
  // Nobody listens where the thread looks for the head.
  const nowhere = { address: "127.0.0.1:1", credentials, tlsFolder: "" };
  const thread = await SessionThread.open(peer, nowhere, options(), 20_000);
  await restart();
  await expect.poll(() => head.sessions.length).toBe(1);
  expect(head.sessions[0]).toMatchObject({ sessionId: "session-test", pid: process.pid });
  expect(thread.inThread).toBe(false);
  await thread.close();
  expect(head.sessions.at(-1)).toMatchObject({ sessionId: "session-test", goodbye: true });
  expect(lost).toEqual([]);
});

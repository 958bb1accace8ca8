import { createMetrics } from "@palimpsest/telemetry";
import { actorHostService, addresseeMetadata, encodeValue, grpcNetwork } from "@palimpsest/wire";
import { expect, onTestFinished, test } from "vitest";
import { ActorHost, type TaskFunctions } from "./actor-host.js";

const network = grpcNetwork({ token: "token-of-the-tests" });

async function hosted(abandonedMs: number) {
  const begun: [number, boolean][] = [];
  let abandoned = 0;
  let release: () => void = () => undefined;
  const tasks: TaskFunctions = {
    methodOf: () => () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
    started: (callId, _signal, alone) => void begun.push([callId, alone]),
    abandoned: () => {
      abandoned += 1;
    },
  };
  const bounds = { maxConcurrency: 1, maxPendingCalls: 10, maxPendingBytes: 1_000_000 };
  const { host, address } = await ActorHost.start(
    { actorId: "worker-test", incarnation: 1, ...bounds, network, listenHost: "127.0.0.1" },
    { metrics: createMetrics({ component: "tasks", processMetrics: false }) },
  );
  onTestFinished(() => host.close());
  host.serveTasks(tasks, abandonedMs);
  const open = () => {
    const peer = network.connect(address, "calls");
    const metadata = addresseeMetadata({ actorId: "worker-test", incarnation: 1 });
    const stream = peer.bidi(actorHostService.calls, { metadata });
    stream.on("error", () => undefined);
    stream.resume();
    const call = (callId: number) =>
      stream.write({ frames: [{ call: { callId, method: "work", args: encodeValue([]) } }] });
    const close = () => {
      stream.cancel();
      peer.close();
    };
    onTestFinished(close);
    const taken = new Promise<void>((resolve) => stream.once("metadata", () => resolve()));
    return { call, close, taken };
  };
  return { open, begun, abandoned: () => abandoned, release: () => release() };
}

test("a worker to which nobody opens a stream is told that it is abandoned, one with a stream is not (HOST-3)", async () => {
  const used = await hosted(500);
  const { call, close } = used.open();
  call(1);
  await expect.poll(() => used.begun).toEqual([[1, true]]);
  const forgotten = await hosted(500);
  await expect.poll(() => forgotten.abandoned()).toBe(1);
  expect(used.abandoned()).toBe(0);
  close();
  await expect.poll(() => used.abandoned()).toBe(1);
});

test("calls begin one after the other, and say whether their numbers are those of the only stream", async () => {
  const { open, begun, release } = await hosted(60_000);
  const first = open();
  first.call(1);
  first.call(2);
  await expect.poll(() => begun).toEqual([[1, true]]);
  const second = open();
  second.call(1);
  await second.taken;
  release();
  await expect.poll(() => begun.length).toBe(2);
  release();
  await expect.poll(() => begun.length).toBe(3);
  expect(begun.slice(1).every(([, alone]) => !alone)).toBe(true);
  release();
});

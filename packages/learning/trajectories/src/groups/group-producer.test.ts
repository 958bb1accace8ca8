import { systemClock } from "@palimpsest/std";
import { beforeEach, expect, it } from "vitest";
import { queueSettingsSchema } from "../base/queue-settings.js";
import { PayloadStore } from "../store/payload-store.js";
import { aGroupRequest } from "../testing/builders.js";
import { MemoryLedgerStore } from "../testing/memory-ledger-store.js";
import { GroupProducer } from "./group-producer.js";

const settings = queueSettingsSchema.parse({});
const room = { write: <T>(work: () => Promise<T>) => work() };
let ledger: MemoryLedgerStore;
/** The groups whose rollouts were added to the queues, once for each time that they were added. */
let added: string[];
/** Runs once, when the jobs of the next dispatch are added. */
let onAdd: () => void;

beforeEach(() => {
  ledger = new MemoryLedgerStore();
  added = [];
  onAdd = () => undefined;
});

function aProducer(): GroupProducer {
  return new GroupProducer({
    store: ledger,
    jobs: {
      addRollouts: async (specs) => {
        added.push(...specs.map(({ groupId }) => groupId));
        onAdd();
        onAdd = () => undefined;
      },
      addReward: async () => undefined,
      restore: async () => undefined,
    },
    payloads: new PayloadStore({ store: ledger, room, settings }),
    room,
    settings,
    metrics: undefined,
    clock: systemClock,
    listRun: async () => undefined,
  });
}

const requests = ["a", "b"].map((groupId) => aGroupRequest({ groupId }));

it("adds the jobs of a group once, whoever dispatches it and how often (DISPATCH-1)", async () => {
  expect(await aProducer().dispatch(requests)).toEqual(["added", "added"]);
  expect(await aProducer().dispatch([...requests, ...requests])).toEqual(Array(4).fill("outstanding"));
  expect(added).toEqual(["a", "b"]);
});

it("claims again what Redis lost between the claim and its jobs (DISPATCH-4)", async () => {
  const producer = aProducer();
  await producer.dispatch(requests.slice(0, 1));
  const before = ledger.snapshot();
  onAdd = () => ledger.restore(before);
  expect(await producer.dispatch(requests)).toEqual(["outstanding", "added"]);
  expect(added).toEqual(["a", "b", "b"]);
  expect(await ledger.undispatched(["a", "b"])).toEqual([]);
  expect(await ledger.task("b")).toBeDefined();
});

it("stores a task again that Redis lost when it kept the claim (DISPATCH-4)", async () => {
  const [request] = requests.slice(0, 1);
  if (request === undefined) throw new Error("no request");
  const claimed = new MemoryLedgerStore();
  onAdd = () => ledger.restore(claimed.snapshot());
  const { groupId, groupSize } = request;
  await claimed.claim([{ groupId, groupSize, spec: "", taskBytes: 0 }], settings);
  expect(await aProducer().dispatch([request])).toEqual(["added"]);
  expect(added).toEqual(["a", "a"]);
  expect(await ledger.task("a")).toBeDefined();
});

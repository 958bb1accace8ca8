import { Session } from "node:inspector/promises";
import { expect, onTestFinished, test } from "vitest";
import { type Profilee, type ProfileReading, readProfile } from "./profile.js";

/** This thread's own inspector. */
function ownThread(): Profilee {
  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  return { command: (method: string, params: object = {}): Promise<unknown> => session.post(method, params) };
}

function selfOf({ names, functions, selfs }: ProfileReading, name: string): number {
  return selfs.reduce((sum, self, at) => sum + (names[functions[at] ?? 0]?.startsWith(name) ? self : 0), 0);
}

/** Computes for about that long without a turn of the event loop. */
function burning(ms: number): number {
  let rounds = 0;
  for (const endAt = performance.now() + ms; performance.now() < endAt; ) rounds += Math.sqrt(rounds + 1);
  return rounds;
}

test("the time of a thread is told by function, without what it waits, and it is sampled no longer (PROFILE-1)", async () => {
  const thread = ownThread();
  // It computes in turns until the profile is there, since a busy machine may give it no time in any one of them.
  const turns = setInterval(() => burning(20), 30);
  const profile = await readProfile(thread, { kind: "cpu", durationMs: 600 });
  clearInterval(turns);
  expect(selfOf(profile, "burning (")).toBeGreaterThan(0);
  expect(profile.names.some((name) => /^burning \(.*profile\.test\.[jt]s:\d+:\d+\)$/.test(name))).toBe(true);
  expect(profile.names).not.toContain("(idle)");
  await expect(thread.command("Profiler.stop")).rejects.toThrow();
  // A caller comes before what it calls.
  expect(profile.parents.every((parent, at) => parent < at)).toBe(true);
});

test("what is allocated and still in use is told by function", async () => {
  const asked = readProfile(ownThread(), { kind: "heap", durationMs: 100 });
  const keeping = () => {
    const list: number[][] = [];
    for (let i = 0; i < 20_000; i++) list.push([i, i + 0.5, i + 1]);
    return list;
  };
  const held = keeping();
  const profile = await asked;
  expect(held).toHaveLength(20_000);
  expect(selfOf(profile, "keeping (")).toBeGreaterThan(200_000);
});

test("a function of a module that is its own address has a name of bounded length", async () => {
  const callFrame = {
    functionName: "长".repeat(9_000),
    url: `data:text/javascript,${"x".repeat(1e6)}`,
    lineNumber: 0,
    columnNumber: 0,
  };
  const root = { functionName: "(root)", url: "", lineNumber: 0, columnNumber: 0 };
  const nodes = [
    { id: 1, callFrame: root, children: [2] },
    { id: 2, callFrame },
  ];
  const profile = { nodes, samples: [2], timeDeltas: [0], startTime: 0, endTime: 1000 };
  const answers: Profilee = { command: async (method) => (method === "Profiler.stop" ? { profile } : {}) };
  const { names } = await readProfile(answers, { kind: "cpu", durationMs: 1 });
  expect(names).toEqual([expect.stringMatching(/^长{500} \(data:text\/javascript,x{479}:1:1\)$/)]);
});

test("a large profile keeps its largest nodes, and nothing of the time is lost (PROFILE-2)", async () => {
  const callFrame = (functionName: string) => ({
    functionName,
    url: "file:///a.js",
    lineNumber: 0,
    columnNumber: 0,
  });
  const count = 12_000;
  const nodes = [
    { id: 1, callFrame: callFrame("(root)"), children: [2] },
    { id: 2, callFrame: callFrame("caller"), children: Array.from({ length: count }, (_, i) => i + 3) },
    ...Array.from({ length: count }, (_, i) => ({ id: i + 3, callFrame: callFrame(`called${i}`) })),
  ];
  const samples = Array.from({ length: count }, (_, i) => i + 3);
  const timeDeltas = [0, ...samples.map((_, i) => 1000 + i)].slice(0, count);
  const endTime = timeDeltas.reduce((sum, delta) => sum + delta, 0) + 5_000;
  const profile = { nodes, samples, timeDeltas, startTime: 0, endTime };
  const answers: Profilee = { command: async (method) => (method === "Profiler.stop" ? { profile } : {}) };
  const reading = await readProfile(answers, { kind: "cpu", durationMs: 1 });
  expect(reading.parents.length).toBeLessThanOrEqual(5_001);
  expect(reading.parents.length).toBeGreaterThan(4_000);
  expect(reading.selfs.reduce((sum, self) => sum + self, 0)).toBeCloseTo(endTime / 1000, 6);
  expect(selfOf(reading, "caller")).toBeGreaterThan(0);
  expect(reading.names.some((name) => name.startsWith(`called${count - 2} (`))).toBe(true);
  expect(reading.names.some((name) => name.startsWith("called0 ("))).toBe(false);
});

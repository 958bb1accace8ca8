import { Session } from "node:inspector/promises";
import { expect, test } from "vitest";
import { type Profile, profileFile, profileOf } from "./profile-file.js";

const profile = (kind: "cpu" | "heap"): Profile => ({
  ...{ kind, startedAtMs: 1_700_000_000_000, seconds: 5, problems: ["node-b: gone"] },
  processes: [
    {
      title: "actor a (actor-1)",
      pid: 7,
      calls: [
        { name: "f (file:///a.js:3:1)", self: 1.5, calls: [{ name: "(program)", self: 2, calls: [] }] },
      ],
    },
    { title: "node n", pid: 8, calls: [{ name: "g (node:fs:1:2)", self: 4, calls: [] }] },
  ],
  phases: [{ role: "learner", actorId: "actor-1", seconds: 5, phases: [{ name: "update", seconds: 2 }] }],
});

test("a profile that was written is read as it was, of time and of memory", () => {
  for (const kind of ["cpu", "heap"] as const)
    expect(profileOf(JSON.parse(profileFile(profile(kind))), "a file")).toEqual(profile(kind));
});

test("a file that Node.js wrote is one process, without its idle time", async () => {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  const burning = () => {
    let sum = 0;
    for (let i = 0; i < 30_000_000; i++) sum += Math.sqrt(i);
    return sum;
  };
  expect(burning()).toBeGreaterThan(0);
  const { profile: written } = await session.post("Profiler.stop");
  session.disconnect();
  const { processes, seconds } = profileOf(JSON.parse(JSON.stringify(written)), "own.cpuprofile");
  expect(processes).toHaveLength(1);
  expect(processes[0]).toMatchObject({ title: "own.cpuprofile", pid: 0 });
  expect(seconds).toBe(0);
  expect(JSON.stringify(processes)).toContain("burning");
  expect(processes[0]?.calls.map(({ name }) => name)).not.toContain("(idle)");
});

test("what is no profile is refused with what is wrong", () => {
  expect(() => profileOf({ nodes: "no" }, "x.json")).toThrow(/^x\.json: nodes: .*give a \.cpuprofile/);
  expect(() => profileOf(undefined, "x.json")).toThrow("x.json");
  const frame = { functionName: "f" };
  const circle = [{ id: 1, callFrame: frame, children: [1] }];
  expect(() => profileOf({ nodes: circle, samples: [], timeDeltas: [] }, "x")).toThrow(
    "x: nodes: have no id 1",
  );
  let head: object = { callFrame: frame, selfSize: 1, children: [] };
  for (let depth = 0; depth < 1_500; depth++) head = { callFrame: frame, selfSize: 1, children: [head] };
  expect(() => profileOf({ head }, "x")).toThrow("deeper than 1000");
});

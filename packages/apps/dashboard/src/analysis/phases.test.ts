import { expect, test } from "vitest";
import { phasesBetween, phasesOn } from "./phases.js";

const page = (update: number, other: number) => `# HELP palimpsest_learner_phase_seconds_total Time.
palimpsest_learner_phase_seconds_total{phase="update",component="learner"} ${update}
palimpsest_learner_phase_seconds_total{component="learner",phase="other"} ${other}
palimpsest_learner_updates_total{component="learner"} 7
`;

test("what a process did in a window is the difference of its two readings", () => {
  const before = phasesOn(page(10, 1), 1_000);
  const after = phasesOn(page(13, 2), 5_000);
  if (before === undefined || after === undefined) throw new Error("no phases");
  expect(phasesBetween({ role: "learner", actorId: "actor-1" }, before, after)).toEqual({
    ...{ role: "learner", actorId: "actor-1", seconds: 4 },
    phases: [
      { name: "update", seconds: 3 },
      { name: "idle", seconds: 1 },
    ],
  });
});

test("a sampler is idle for what it was not busy with; a page without phases has none", () => {
  const sampler = (decode: number) => `palimpsest_sampler_phase_seconds_total{phase="decode"} ${decode}\n`;
  const [before, after] = [phasesOn(sampler(1), 0), phasesOn(sampler(1.5), 2_000)];
  if (before === undefined || after === undefined) throw new Error("no phases");
  expect(phasesBetween({ role: "rollout", actorId: "a" }, before, after).phases).toEqual([
    { name: "decode", seconds: 0.5 },
    { name: "idle", seconds: 1.5 },
  ]);
  expect(phasesOn("palimpsest_head_nodes 1\n", 0)).toBeUndefined();
});

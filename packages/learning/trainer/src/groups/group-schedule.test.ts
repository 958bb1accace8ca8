import { createRandom } from "@palimpsest/datasets";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GroupSchedule } from "./group-schedule.js";
import { type SimulatedRun, simulateRun } from "./simulated-run.fixture.js";

/** 1000000 for the whole proof: seconds on a machine of its own. */
const groups = Number(process.env["PALIMPSEST_SIMULATED_GROUPS"] ?? 100_000);

/** Log-normal lengths with a median of one second. */
function logNormal(seed: number, sigma: number): () => number {
  const { float } = createRandom(seed);
  return () => Math.exp(sigma * Math.sqrt(-2 * Math.log(1 - float())) * Math.cos(2 * Math.PI * float()));
}

const aRun = (more: Partial<SimulatedRun> = {}): SimulatedRun => ({
  steps: Math.ceil(groups / 16),
  groupsPerStep: 16,
  maxStaleness: 2,
  staleGroups: "wait",
  slots: 24,
  updateSeconds: 1,
  drawSeconds: logNormal(1, 1),
  ...more,
});

describe("a schedule of groups", () => {
  it.each(["wait", "refill"] as const)(
    "keeps the bound over many groups of log-normal length, accounts for each, and starves nobody (%s, SCHEDULE-1, SCHEDULE-2, SCHEDULE-3, SCHEDULE-4)",
    (staleGroups) => {
      const result = simulateRun(aRun({ staleGroups }));
      expect(result.trained).toBeGreaterThanOrEqual(groups);
      expect(result).toMatchObject({ unaccounted: 0, idleWithRoom: 0 });
      expect(result.stalenessMax).toBe(2);
      expect(result.inFlightMax).toBe(48);
      if (staleGroups === "wait") expect(result.dropped).toBe(0);
      else expect(result.dropped).toBeGreaterThan(0);
    },
  );

  it("keeps them for any bound, lengths, slots and updates", () => {
    fc.assert(
      fc.property(
        fc.record({
          steps: fc.integer({ min: 1, max: 40 }),
          groupsPerStep: fc.integer({ min: 1, max: 12 }),
          maxStaleness: fc.integer({ min: 0, max: 8 }),
          staleGroups: fc.constantFrom("wait" as const, "refill" as const),
          slots: fc.integer({ min: 1, max: 64 }),
          updateSeconds: fc.constantFrom(0, 0.01, 1, 10),
          seed: fc.nat(),
          sigma: fc.constantFrom(0, 1, 3),
        }),
        ({ seed, sigma, ...settings }) => {
          const result = simulateRun({ ...settings, drawSeconds: logNormal(seed, sigma) });
          expect(result).toMatchObject({ unaccounted: 0, idleWithRoom: 0 });
          expect(result.trained).toBe(settings.steps * settings.groupsPerStep);
          expect(result.stalenessMax).toBeLessThanOrEqual(settings.maxStaleness);
          expect(result.inFlightMax).toBeLessThanOrEqual(
            (settings.maxStaleness + 1) * settings.groupsPerStep,
          );
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });

  it("makes more steps in the same time than a synchronous one", () => {
    const steps = 500;
    const hours = (maxStaleness: number, staleGroups: "wait" | "refill") =>
      simulateRun(aRun({ steps, maxStaleness, staleGroups, updateSeconds: 2 })).seconds / 3600;
    const synchronous = hours(0, "wait");
    expect(synchronous / hours(2, "wait")).toBeGreaterThan(1.5);
    expect(synchronous / hours(2, "refill")).toBeGreaterThan(1.5);
  });

  it("at staleness 0 is one step after the other, as it always was", () => {
    const schedule = new GroupSchedule(
      { steps: 3, groupsPerStep: 2, maxStaleness: 0, staleGroups: "wait" },
      1,
    );
    expect(schedule.takeDue()).toEqual([
      { index: 2, minPolicyVersion: 1 },
      { index: 3, minPolicyVersion: 1 },
    ]);
    expect(schedule.takeDue()).toEqual([]);
    schedule.stepDone([2, 3]);
    expect(schedule.takeDue().map(({ index }) => index)).toEqual([4, 5]);
    schedule.stepDone([4, 5]);
    expect(schedule.takeDue()).toEqual([]);
  });

  it("goes on where a checkpoint says that it stood: what was in flight stays so, and no index comes twice (SCHEDULE-4)", () => {
    const settings = { steps: 9, groupsPerStep: 2, maxStaleness: 1, staleGroups: "refill" } as const;
    const first = new GroupSchedule(settings, 0);
    first.takeDue();
    first.stepDone([0, 3]);
    first.drop([1]);
    const resumed = new GroupSchedule(settings, 1, first.state);
    expect(resumed.candidates().map(({ index }) => index)).toEqual([2]);
    expect(resumed.takeDue()).toEqual(first.takeDue());
    expect(resumed.candidates().map(({ index }) => index)).toEqual([2, 4, 5, 6]);
  });

  it("gives a synchronous step the next groups for rejected ones, so many and no more (SCHEDULE-3, SCHEDULE-5)", () => {
    const settings = {
      steps: 3,
      groupsPerStep: 2,
      maxStaleness: 0,
      staleGroups: "wait",
      refills: 3,
    } as const;
    const schedule = new GroupSchedule(settings, 0);
    const due = () => schedule.takeDue().map(({ index }) => index);
    expect(due()).toEqual([0, 1]);
    schedule.reject([0, 1]);
    expect(due()).toEqual([2, 3]);
    schedule.reject([2, 3]);
    expect(due()).toEqual([4]);
    expect(schedule.candidates().map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(schedule.rejected.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    schedule.stepDone([0, 1, 2, 3, 4]);
    expect(schedule.state).toEqual({ next: 5, open: [] });
    expect(schedule.takeDue()).toEqual([
      { index: 5, minPolicyVersion: 1 },
      { index: 6, minPolicyVersion: 1 },
    ]);
    const resumed = new GroupSchedule(settings, 1, { next: 5, open: [] });
    expect(resumed.takeDue().map(({ index }) => index)).toEqual([5, 6]);
    expect(() => resumed.reject([1])).toThrow(/group 1 is not in flight/);
  });

  it("beside a look-ahead keeps its bounds and accounts for each group, however many teach nothing", () => {
    fc.assert(
      fc.property(
        fc.record({
          steps: fc.integer({ min: 1, max: 20 }),
          groupsPerStep: fc.integer({ min: 1, max: 8 }),
          maxStaleness: fc.integer({ min: 0, max: 4 }),
          refills: fc.integer({ min: 1, max: 12 }),
          flatShare: fc.constantFrom(0.1, 0.5, 0.9),
          slots: fc.integer({ min: 1, max: 32 }),
          updateSeconds: fc.constantFrom(0, 1),
          seed: fc.nat(),
        }),
        ({ seed, flatShare, ...settings }) => {
          const draw = createRandom(seed + 1);
          const result = simulateRun({
            ...settings,
            staleGroups: "refill",
            drawSeconds: logNormal(seed, 1),
            drawTeaches: () => draw.float() >= flatShare,
          });
          expect(result).toMatchObject({ unaccounted: 0, idleWithRoom: 0 });
          const { groupsPerStep, maxStaleness, refills } = settings;
          expect(result.stalenessMax).toBeLessThanOrEqual(maxStaleness);
          expect(result.inFlightMax).toBeLessThanOrEqual((maxStaleness + 1) * groupsPerStep + refills);
          expect(result.rejectedMax).toBeLessThanOrEqual(refills + groupsPerStep);
        },
      ),
      { seed: 1, numRuns: 200 },
    );
  });
});

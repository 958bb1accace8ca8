import { openStreamTasks } from "@palimpsest/datasets";
import { rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { describe, expect, it } from "vitest";
import { honestFloor, streamScripts } from "./stream-scripts.js";

/** Every script's mean reward and components on the same streams. */
async function scored(turns: number) {
  const set = openStreamTasks({ turns, count: 24, seed: "scripts" });
  const reward = trajectoryReward(rewardConfigSchema.parse({ name: "stream" }));
  const means = new Map<string, Record<string, number>>();
  for (const { name, write } of streamScripts) {
    const values: Record<string, number[]> = {};
    for (let at = 0; at < set.count; at++) {
      const task = await set.open(at);
      const episode = { answer: "", conversations: [], memorySteps: [], storeDiff: write(task) };
      const { reward: paid, components } = await reward(task, episode);
      // Not every stream has a question about the past.
      for (const [key, value] of Object.entries({ ...components, paid })) {
        const own = values[key] ?? [];
        own.push(value);
        values[key] = own;
      }
    }
    const mean = (all: readonly number[]) => all.reduce((sum, value) => sum + value, 0) / all.length;
    means.set(name, Object.fromEntries(Object.entries(values).map(([key, all]) => [key, mean(all)])));
  }
  return (name: string) => means.get(name) ?? {};
}

describe("writers of a stream without a model", () => {
  const lengths = [1, 8, 64];
  const ofLength = new Map(lengths.map((turns) => [turns, scored(turns)]));
  const at = async (turns: number) => (await ofLength.get(turns)) as Awaited<ReturnType<typeof scored>>;

  for (const { name, kind } of streamScripts)
    if (kind === "cheat")
      it(`"${name}" earns no more than the honest floor`, async () => {
        for (const turns of lengths) {
          const of = await at(turns);
          expect(of(name)["paid"], `${turns} turns`).toBeLessThanOrEqual(of(honestFloor)["paid"] as number);
        }
      });

  it("an oracle knows everything, names nothing stale, and is worth more than the best of the others", async () => {
    const of = await at(64);
    expect(of("oracle")).toMatchObject({ current: 1, past: 1, multi: 1, unknown: 1, stale: 0, faults: 0 });
    const others = streamScripts
      .filter(({ kind }) => kind !== "oracle")
      .map(({ name }) => of(name)["paid"] ?? 0);
    expect((of("oracle")["paid"] ?? 0) - Math.max(...others)).toBeGreaterThan(0.2);
  });

  it("raw episodes are worth the most at first, and nothing beyond their budget", async () => {
    const [first, last] = [await at(1), await at(64)];
    expect(first("raw episodes")["gain"]).toBeCloseTo(first("oracle")["gain"] as number, 9);
    expect(last("raw episodes")).toMatchObject({ gain: 0 });
    expect(last("raw episodes")["size"]).toBeGreaterThan(1);
    expect(last("no memory")).toMatchObject({ gain: 0, paid: 0 });
  });
});

import { expect, test } from "vitest";
import { mixedTasks, shortFirst } from "./arranged-tasks.js";
import { generatedTasks, type TaskSet } from "./task-set.js";

const setOf = (name: string, lengths: readonly number[]): TaskSet =>
  generatedTasks(lengths.length, (position) => ({
    id: `${name}${position}`,
    question: "q",
    answers: ["a"],
    document: "x".repeat(lengths[position] ?? 0),
    metadata: {},
  }));
const idsOf = async (set: TaskSet) =>
  await Promise.all(Array.from({ length: set.count }, async (_, at) => (await set.open(at)).id));

test("sets are mixed by their weights, evenly along the way, until every task of each was met", async () => {
  const mixed = mixedTasks([
    { tasks: setOf("a", [1, 1, 1, 1, 1, 1]), weight: 3 },
    { tasks: setOf("b", [1]), weight: 1 },
  ]);
  const ids = await idsOf(mixed);
  expect(ids).toEqual(["1/a0", "1/a1", "2/b0", "1/a2", "1/a3", "1/a4", "2/b0", "1/a5"]);
  // The small set decides where it has the small weight.
  const rare = mixedTasks([
    { tasks: setOf("a", [1]), weight: 3 },
    { tasks: setOf("b", [1, 1, 1]), weight: 1 },
  ]);
  const counted = await idsOf(rare);
  expect(counted).toHaveLength(12);
  expect(new Set(counted)).toEqual(new Set(["1/a0", "2/b0", "2/b1", "2/b2"]));
});

test("a weight that is not above 0 and a set without tasks are refused", () => {
  const some = { tasks: setOf("a", [1]), weight: 1 };
  expect(() => mixedTasks([some, { tasks: setOf("b", [1]), weight: 0 }])).toThrow(/part 2 of 2: weight is 0/);
  expect(() => mixedTasks([{ tasks: setOf("b", []), weight: 1 }, some])).toThrow(
    /part 1 of 2: contains no task/,
  );
});

test("a weight too small for its set is refused by its field, before anything is laid out", () => {
  const many = generatedTasks(32_768, () => expect.unreachable());
  const mix = (weight: number) => () =>
    mixedTasks([
      { tasks: many, weight: 1 },
      { tasks: many, weight, field: "curriculum.mix[0].weight" },
    ]);
  expect(mix(1e-9)).toThrow(
    / curriculum\.mix\[0\]\.weight: weight 1e-9 .* all of its 32768 tasks .* give it at least 0\.20 % /,
  );
  expect(mix(1e-300)).toThrow(/at most 16777216/);
  expect(mix(0.5)().count).toBe(98_304);
});

test("short documents come first, equally long ones in their order", async () => {
  expect(await idsOf(await shortFirst(setOf("a", [5, 1, 3, 1])))).toEqual(["a1", "a3", "a2", "a0"]);
});

import { expect, it } from "vitest";
import { inLanes } from "./in-lanes.js";

it("works on each item once, in order, at most as many at once as there are lanes", async () => {
  const begun: number[] = [];
  let [now, most] = [0, 0];
  await inLanes([1, 2, 3, 4, 5].values(), { lanes: 2 }, async (item) => {
    begun.push(item);
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  await inLanes([], { lanes: Number.POSITIVE_INFINITY }, () => Promise.reject(new Error("no item, no work")));
});

it("the first failure stops the others and is thrown when they have ended", async () => {
  const ended: string[] = [];
  const failure = new Error("first");
  const running = inLanes(["fails", "waits", "never begins"], { lanes: 2 }, async (item, signal) => {
    if (item === "fails") throw failure;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    ended.push(item);
    throw new Error("second");
  });
  await expect(running).rejects.toBe(failure);
  expect(ended).toEqual(["waits"]);
});

it("ends for the reason of the given signal, and leaves nothing listening to it", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const running = inLanes([1, 2], { lanes: 1, signal: controller.signal }, async () =>
    controller.abort(reason),
  );
  await expect(running).rejects.toBe(reason);
  const none = inLanes([1], { lanes: 1, signal: controller.signal }, () =>
    Promise.reject(new Error("begun")),
  );
  await expect(none).rejects.toBe(reason);
});

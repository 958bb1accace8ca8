import type * as proto from "@palimpsest/wire/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { StandingClock } from "../testing/standing-clock.js";
import { ObjectQuotas } from "./object-quotas.js";

let clock: StandingClock;
let quotas: ObjectQuotas;
let sent: proto.ObjectUse.$Properties[];
let shortages: number;

beforeEach(() => {
  clock = new StandingClock();
  shortages = 0;
  quotas = new ObjectQuotas(clock, () => void shortages++);
  sent = [];
  quotas.connect((use) => void sent.push(use));
});

/** Returns what was sent since the last call. */
const told = () => sent.splice(0);
const grant = (grantedBytes: number, name = "job j", over = {}) =>
  quotas.allowed({ quotas: [{ name, maxBytes: 1_000, usedBytes: 0, grantedBytes, ...over }] });

/** Makes the head say that a driver's objects count against these quotas. */
async function begin(names = ["job j"], holder = "driver"): Promise<void> {
  quotas.registered(true);
  quotas.opened(holder);
  await Promise.resolve();
  expect(told().at(-1)).toEqual({ holders: [holder] });
  quotas.allowed({
    quotas: names.map((name) => ({ name, maxBytes: 1_000 })),
    holders: [{ holder, quotas: names }],
  });
}

/** Returns in which order they were admitted, or how they failed. */
function watch(...waiting: (Promise<void> | undefined)[]): string[] {
  const ends: string[] = [];
  for (const [index, one] of waiting.entries())
    one?.then(
      () => ends.push(String(index)),
      (reason: Error) => ends.push(reason.message),
    );
  return ends;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("quotas of objects on a node", () => {
  test("until a head has accepted the node, objects wait; without quotas then nothing waits and nothing is sent", async () => {
    const ends = watch(quotas.take("driver", 1e12));
    await turn();
    expect(ends).toEqual([]);
    told();
    quotas.registered(false);
    await turn();
    expect(ends).toEqual(["0"]);
    expect(quotas.take("driver", 1e12)).toBeUndefined();
    quotas.beat();
    expect(told()).toEqual([]);
  });

  test("what was granted is used without asking; more waits, in order, for what is granted or given back (NODEQUOTA-1, NODEQUOTA-2)", async () => {
    await begin();
    const first = quotas.take("driver", 100);
    expect(told()).toEqual([
      { quotas: [{ name: "job j", usedBytes: 0, wantedBytes: 100, returnedBytes: 0 }] },
    ]);
    grant(250);
    await first;
    expect(quotas.take("driver", 100)).toBeUndefined();
    const ends = watch(quotas.take("driver", 100), quotas.take("driver", 1));
    expect(told().at(-1)).toMatchObject({ quotas: [{ usedBytes: 200, wantedBytes: 50 }] });
    await turn();
    expect(ends).toEqual([]);
    quotas.giveBack("driver", 50);
    await turn();
    expect(ends).toEqual(["0"]);
    grant(1);
    await turn();
    expect(ends).toEqual(["0", "1"]);
    expect(shortages).toBeGreaterThan(0);
  });

  test("after 20 s it fails with the quota, its use and what helps; what is larger than the quota fails at once", async () => {
    await begin();
    grant(300, "job j", { usedBytes: 900 });
    expect(quotas.take("driver", 300)).toBeUndefined();
    const ends = watch(quotas.take("driver", 200), quotas.take("driver", 1_001));
    await turn();
    expect(ends).toEqual([expect.stringContaining("larger than the whole quota: store it in pieces")]);
    clock.advance(20_000);
    await turn();
    expect(ends[1]).toContain(
      "200 bytes do not fit: quota objectBytes of job j: 900 of 1000 used, 300 of them on this node, to which 300 are granted; free objects",
    );
    expect(told().at(-1)).toMatchObject({ quotas: [{ wantedBytes: 0 }] });
    expect(quotas.uses().get("job j")).toMatchObject({ usedBytes: 300 });
  });

  test("one that counts against two quotas takes both or, in the end, none (NODEQUOTA-2)", async () => {
    await begin(["namespace n", "job j"]);
    const ends = watch(quotas.take("driver", 10));
    grant(100, "namespace n");
    await turn();
    expect(ends).toEqual([]);
    expect(quotas.uses().get("namespace n")).toMatchObject({ usedBytes: 0 });
    grant(10, "job j");
    await turn();
    expect(ends).toEqual(["0"]);
    quotas.giveBack("driver", 10);
    grant(0, "namespace n", { reclaimed: true });
    const again = watch(quotas.take("driver", 10));
    expect(quotas.uses().get("job j")).toMatchObject({ usedBytes: 10 });
    clock.advance(20_000);
    await turn();
    expect(again[0]).toContain("quota objectBytes of namespace n");
    for (const { usedBytes } of quotas.uses().values()) expect(usedBytes).toBe(0);
    grant(10, "namespace n");
    expect(quotas.take("driver", 10)).toBeUndefined();
  });

  test("what is not used is returned when others wait, and when nothing is used any more (NODEQUOTA-3)", async () => {
    await begin();
    grant(500);
    expect(quotas.take("driver", 100)).toBeUndefined();
    told();
    grant(0, "job j", { reclaimed: true });
    expect(told().at(-1)).toMatchObject({ quotas: [{ usedBytes: 100, returnedBytes: 400 }] });
    quotas.giveBack("driver", 100);
    quotas.beat();
    expect(told()).toMatchObject([{ quotas: [{ usedBytes: 0, returnedBytes: 0 }] }]);
    quotas.beat();
    expect(told()).toMatchObject([{ quotas: [{ usedBytes: 0, returnedBytes: 100 }] }]);
    quotas.closed("driver");
    quotas.beat();
    expect(quotas.uses().size).toBe(0);
  });

  test("without a head what was granted is used on, and a new head is told all of it (NODEQUOTA-4)", async () => {
    await begin();
    grant(500);
    quotas.connect(() => undefined);
    expect(quotas.take("driver", 300)).toBeUndefined();
    const ends = watch(quotas.take("driver", 300));
    quotas.connect((use) => void sent.push(use));
    quotas.registered(true);
    expect(told().at(-1)).toEqual({
      reset: true,
      holders: ["driver"],
      quotas: [{ name: "job j", usedBytes: 300, grantedBytes: 500, wantedBytes: 100 }],
    });
    // The new head has another file of quotas.
    quotas.allowed({
      quotas: [{ name: "namespace n", maxBytes: 9_000 }],
      holders: [{ holder: "driver", quotas: ["namespace n"] }],
    });
    expect(told().at(-1)).toMatchObject({
      quotas: [{ name: "namespace n", usedBytes: 300, wantedBytes: 600 }],
    });
    grant(600, "namespace n", { maxBytes: 9_000 });
    await turn();
    expect(ends).toEqual(["0"]);
  });

  test("a program of which the head does not speak waits, and is told so", async () => {
    quotas.registered(true);
    const ends = watch(quotas.take("stranger", 1));
    quotas.beat();
    await turn();
    expect(told().filter(({ holders }) => holders?.includes("stranger")).length).toBeGreaterThan(0);
    clock.advance(20_000);
    await turn();
    expect(ends[0]).toContain(
      "the head has not said within 20000 ms against which quotas objects of stranger count",
    );
  });

  test("what waits and is admitted while its quotas change counts once (NODEQUOTA-1)", async () => {
    await begin();
    grant(50);
    const ends = watch(quotas.take("driver", 100), quotas.take("driver", 10));
    await turn();
    expect(ends).toEqual([]);
    // The next head has other quotas. The second one fits into what was granted once the first has left the queue.
    quotas.allowed({
      quotas: [{ name: "namespace n", maxBytes: 1_000, grantedBytes: 200 }],
      holders: [{ holder: "driver", quotas: ["namespace n"] }],
    });
    await turn();
    expect(ends.sort()).toEqual(["0", "1"]);
    const used = () => [...quotas.uses()].map(([name, { usedBytes }]) => [name, usedBytes]);
    expect(used()).toEqual([
      ["job j", 0],
      ["namespace n", 110],
    ]);
    quotas.giveBack("driver", 110);
    expect(used()).toEqual([
      ["job j", 0],
      ["namespace n", 0],
    ]);
  });
});

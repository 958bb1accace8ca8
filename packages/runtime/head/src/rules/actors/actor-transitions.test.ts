import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ActorState, actorStates } from "../../tables/actor.js";
import { aSpec } from "../../testing/builders.js";
import { settle } from "../../testing/manual-clock.js";
import { type TestNode, TestPlane } from "../../testing/plane.js";
import { type ActorEvent, actorTransitions } from "./actor-transitions.js";

const events = Object.keys(actorTransitions) as ActorEvent[];

const outcome = (event: ActorEvent, state: ActorState) => actorTransitions[event][state];

/** A whole node is what the actor needs, so that it waits while another one has it. */
const whole = { resources: { quantities: { cpu: 4 } }, maxRestarts: -1, detached: true };

interface Life {
  readonly test: TestPlane;
  readonly node: TestNode;
}

async function open(): Promise<Life> {
  const test = await TestPlane.open({ nodeTimeoutMs: 60_000 });
  return { test, node: await test.join("a") };
}

async function create({ test }: Life, actorId: string): Promise<void> {
  await test.plane.lifecycle.create(aSpec(actorId, whole));
  await settle();
}

/** Brings an actor "x" into each state. */
const reach: Readonly<Record<ActorState, (life: Life) => Promise<void>>> = {
  PENDING: async (life) => {
    await create(life, "other");
    await create(life, "x");
  },
  STARTING: (life) => create(life, "x"),
  ALIVE: async (life) => {
    await reach.STARTING(life);
    life.node.started("x", 1);
  },
  RESTARTING: async (life) => {
    await reach.ALIVE(life);
    await create(life, "other");
    life.node.died("x", 1);
    await settle();
  },
  DEAD: async ({ test, ...life }) => {
    await reach.ALIVE({ test, ...life });
    await test.plane.lifecycle.kill("x", { noRestart: true, reason: "test" });
  },
};

const incarnationOf = ({ test }: Life) => test.plane.actors.get("x")?.incarnation ?? 0;

async function kill({ test }: Life, noRestart: boolean): Promise<void> {
  await test.plane.lifecycle.kill("x", { noRestart, reason: "test" });
}

/** What a node that registers again says of a process of "x", which is newer than any that the head has heard of. */
function found(life: Life, address: string): void {
  const incarnation = incarnationOf(life) + 1;
  life.node.register({ cpu: 8, actors: [{ actorId: "x", incarnation, address }] });
}

const failed = { constructorError: { code: "UNAVAILABLE", message: "later", retryable: true } };

/** Makes each event happen, as its cause does. */
const cause: Readonly<Record<ActorEvent, (life: Life) => unknown>> = {
  placed: ({ test }) => test.join("b"),
  started: (life) => life.node.started("x", incarnationOf(life)),
  "found starting": (life) => found(life, ""),
  "found running": (life) => found(life, "127.0.0.1:7001"),
  "first start failed": (life) => life.node.died("x", incarnationOf(life), failed),
  "restart failed": (life) => {
    void life.test.plane.actors.update("x", { restarts: 1 });
    life.node.died("x", incarnationOf(life), failed);
  },
  ended: (life) => life.node.died("x", incarnationOf(life)),
  "ended for good": (life) =>
    life.node.died("x", incarnationOf(life), { certificate: { exitCode: 0, exited: true } }),
  killed: (life) => kill(life, true),
  crashed: (life) => kill(life, false),
  moved: ({ test }) => test.plane.lifecycle.move("x", "test"),
};

/** A process that reports what it would report of a failed start has ended, because its start was done. */
const readOtherwise: Partial<Record<ActorEvent, ActorEvent>> = {
  "first start failed": "ended for good",
  "restart failed": "ended for good",
};

describe("an actor's life (TRANSITION-1)", () => {
  const cases = events.flatMap((event) => actorStates.map((state) => [event, state] as const));
  it.each(cases)("%s while %s", async (event, state) => {
    const life = await open();
    await reach[state](life);
    expect(life.test.state("x")).toBe(state);
    const seen: (string | undefined)[] = [];
    life.test.plane.actors.onChange((actor) => {
      if (actor.spec.actorId === "x") seen.push(actor.state);
    });
    await cause[event](life);
    const read = state === "ALIVE" ? (readOtherwise[event] ?? event) : event;
    const next = outcome(read, state);
    const told = seen.filter((one) => one !== state);
    // A retry and a restart are placed at once where there is room: the first state that follows is the event's.
    if (typeof next === "string" && next !== state) expect(told[0]).toBe(next);
    else expect(told).toEqual([]);
  });

  it("is final when it is dead, and every refusal has its reason", () => {
    for (const event of events)
      for (const state of actorStates) {
        const next = outcome(event, state);
        if (typeof next !== "string") expect(next.because).not.toBe("");
        else expect(state).not.toBe("DEAD");
      }
  });

  it("is the table of docs/architecture.md", () => {
    const rows = events.map((event) =>
      [event, ...actorStates.map((state) => outcome(event, state))]
        .map((cell) => (typeof cell === "string" ? cell : "–"))
        .join(" | "),
    );
    const page = readFileSync(new URL("../../../../../../docs/architecture.md", import.meta.url), "utf8");
    const [, body = ""] = page.split(`| event | ${actorStates.join(" | ")} |\n|---|---|---|---|---|---|\n`);
    const shown = body.split("\n\n")[0] ?? "";
    expect(shown.split("\n")).toEqual(rows.map((row) => `| ${row} |`));
  });
});

import { expect, test } from "vitest";
import { formatHolder, type Holder, incarnationName, parseHolder } from "./holder.js";

const objectId = "ab".repeat(20);

const holders: readonly (readonly [string, Holder])[] = [
  ["session-1", { kind: "program", id: "session-1" }],
  ["job-1.retry-1", { kind: "program", id: "job-1.retry-1" }],
  ["agent.blue", { kind: "program", id: "agent.blue" }],
  ["object:blue", { kind: "program", id: "object:blue" }],
  ["actor-1.0", { kind: "program", id: "actor-1.0" }],
  ["", { kind: "program", id: "" }],
  [".1", { kind: "program", id: ".1" }],
  ["actor-1.12", { kind: "incarnation", actorId: "actor-1", incarnation: 12 }],
  ["agent.blue.2", { kind: "incarnation", actorId: "agent.blue", incarnation: 2 }],
  [`object:${objectId}`, { kind: "object", objectId }],
];

test.each(holders)("%j is read as what it names, and written as it was", (text, holder) => {
  expect(parseHolder(text)).toEqual(holder);
  expect(formatHolder(holder)).toBe(text);
});

test("a process of an actor has the same name wherever it is made", () => {
  expect(incarnationName({ actorId: "actor-1", incarnation: 3 })).toBe("actor-1.3");
});

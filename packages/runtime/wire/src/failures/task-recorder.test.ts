import * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { TaskRecorder } from "./task-recorder.js";

const recorder = () => new TaskRecorder(proto.TaskKind.TASK_KIND_CALL);
const task = (number: number) => ({ taskId: `t${number}`, callerId: "session-1" });

function finish(subject: TaskRecorder, count: number, name = "echo"): void {
  for (let index = 0; index < count; index++) subject.ended(task(index), name, "finished", 0, 1, 3);
}

test("few tasks are all kept, with their times in microseconds since the epoch", () => {
  const subject = recorder();
  finish(subject, 2);
  const { ended, counts } = subject.take();
  expect(ended.map(({ taskId }) => taskId)).toEqual(["t0", "t1"]);
  const [first] = ended;
  expect(Number(first?.endedAtUs) - Number(first?.startedAtUs)).toBe(2_000);
  expect(Math.abs(Number(first?.endedAtUs) / 1_000 - performance.timeOrigin)).toBeLessThan(10);
  expect(counts).toMatchObject([{ name: "echo", finished: 2, failed: 0, leftOut: 0, ranUs: 4_000 }]);
  expect(subject.isEmpty).toBe(true);
  expect(subject.take()).toEqual({ ended: [], counts: [] });
});

test("of many a sample of the whole time is kept, failures first, and all are counted (RECORDER-1, RECORDER-2)", () => {
  const subject = recorder();
  finish(subject, 10_000);
  expect(subject.take().ended).toHaveLength(200);
  finish(subject, 10_000);
  subject.ended(task(-1), "echo", "failed", 0, 1, 2, new PalimpsestError("ACTOR_ERROR", "echo threw"));
  const { ended, counts } = subject.take();
  expect(ended[0]).toMatchObject({ taskId: "t-1", errorCode: "ACTOR_ERROR", errorMessage: "echo threw" });
  expect(ended).toHaveLength(201);
  expect(ended.at(-1)?.taskId).toBe("t9999");
  expect(counts).toMatchObject([{ finished: 10_000, failed: 1, leftOut: 9_800 }]);
});

test("failures have a bound of their own, and names beyond it are counted together (RECORDER-1)", () => {
  const subject = recorder();
  for (let index = 0; index < 150; index++) subject.ended(task(index), "echo", "failed", 0, 1, 2);
  for (let index = 0; index < 300; index++) finish(subject, 1, `name${index}`);
  const { ended, counts } = subject.take();
  expect(ended).toHaveLength(300);
  expect(counts).toHaveLength(201);
  expect(counts.at(-1)).toMatchObject({ name: "(others)", finished: 101 });
  expect(counts[0]).toMatchObject({ failed: 150, leftOut: 50 });
});

test("an error's message is that of what was thrown, and short", () => {
  const subject = recorder();
  const thrown = new PalimpsestError("TASK_ERROR", "f threw: x", { cause: new RangeError("y".repeat(500)) });
  subject.ended(task(1), "f", "failed", 0, 1, 2, thrown);
  const [event] = subject.take().ended;
  expect(event?.errorMessage).toHaveLength(200);
  expect(event?.errorMessage).toMatch(/^RangeError: yyy/);
});

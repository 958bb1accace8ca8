import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { decodeMessage } from "./codec.js";
import type { Task } from "./task.js";

/** Tasks as protobuf bytes, for the payload that the episodes of a group share.
 *  @throws {PalimpsestError} CODEC */
export function encodeTask(task: Task): Uint8Array {
  checkTask(task);
  return proto.Task.encode({
    id: task.id,
    question: task.question,
    answers: [...task.answers],
    document: task.document,
    metadata: Object.fromEntries(
      Object.entries(task.metadata).map(([name, value]) => [name, encodeFact(value)]),
    ),
  }).finish();
}

/** @throws {PalimpsestError} CODEC */
export function decodeTask(bytes: Uint8Array): Task {
  const message = decodeMessage("task", () => proto.Task.decode(bytes));
  const task: Task = {
    id: message.id,
    question: message.question,
    answers: message.answers,
    document: message.document,
    metadata: Object.fromEntries(
      Object.entries(message.metadata).map(([name, fact]) => [name, decodeFact(name, fact)]),
    ),
  };
  checkTask(task);
  return task;
}

function encodeFact(value: string | number | boolean): proto.TaskFact.$Properties {
  switch (typeof value) {
    case "string":
      return { text: value };
    case "number":
      return { number: value };
    case "boolean":
      return { flag: value };
  }
}

function decodeFact(name: string, fact: proto.TaskFact.$Properties): string | number | boolean {
  const value = fact.text ?? fact.number ?? fact.flag;
  if (value === undefined || value === null) {
    throw new PalimpsestError("CODEC", `metadata.${name} of the task has no value`);
  }
  return value;
}

function checkTask(task: Task): void {
  if (task.id === "") {
    throw new PalimpsestError("CODEC", "id of the task is empty");
  }
  if (task.answers.length === 0) {
    throw new PalimpsestError("CODEC", `answers of task ${task.id} are empty; a task needs at least one`);
  }
}

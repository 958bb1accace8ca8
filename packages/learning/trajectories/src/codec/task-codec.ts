import type { Task } from "@palimpsest/memory/records";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { decodeMessage } from "./codec-check.js";
import { decodeFacts, encodeFacts } from "./fact-codec.js";
import { decodeProbe, decodeRecord, encodeProbe, encodeRecord } from "./memory-record-codec.js";

/**
 * Encodes tasks as protobuf bytes, for the payload that the episodes of a group share.
 * @throws {PalimpsestError} CODEC
 */
export function encodeTask(task: Task): Uint8Array {
  checkTask(task);
  return proto.Task.encode({
    id: task.id,
    question: task.question,
    answers: [...task.answers],
    document: task.document,
    metadata: encodeFacts(task.metadata),
    records: (task.records ?? []).map(encodeRecord),
    hasRecords: task.records !== undefined,
    probes: (task.probes ?? []).map(encodeProbe),
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
    metadata: decodeFacts(message.metadata, "task"),
    ...(message.hasRecords ? { records: message.records.map(decodeRecord) } : {}),
    ...(message.probes.length > 0 ? { probes: message.probes.map(decodeProbe) } : {}),
  };
  checkTask(task);
  return task;
}

function checkTask(task: Task): void {
  if (task.id === "") {
    throw new PalimpsestError("CODEC", "id of the task is empty; give each task an id");
  }
  if (task.answers.length === 0) {
    throw new PalimpsestError(
      "CODEC",
      `answers of task ${task.id} is empty; a task needs at least one answer`,
    );
  }
}

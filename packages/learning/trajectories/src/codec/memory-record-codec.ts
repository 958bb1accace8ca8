import { type MemoryRecord, memoryTypes, type Probe, type StoreDiff } from "@palimpsest/memory/records";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { decodeFacts, encodeFacts } from "./fact-codec.js";

export function encodeRecord(record: MemoryRecord): proto.MemoryRecord.$Properties {
  return { ...record, provenance: [...record.provenance], metadata: encodeFacts(record.metadata) };
}

/** @throws {PalimpsestError} CODEC */
export function decodeRecord(message: proto.MemoryRecord.$Properties): MemoryRecord {
  const { memoryType } = message;
  const id = message.id ?? "";
  const known = memoryTypes.find((type) => type === memoryType);
  if (id === "") throw new PalimpsestError("CODEC", "id of a memory record is empty; give each record an id");
  if (known === undefined) {
    throw new PalimpsestError(
      "CODEC",
      `memoryType of record ${id} is "${memoryType}"; it must be one of ${memoryTypes.join(", ")}`,
    );
  }
  const { speaker, session, dialogueTime, createdAt, updatedAt, source } = message;
  return {
    id,
    content: message.content ?? "",
    memoryType: known,
    ...(speaker ? { speaker } : {}),
    ...(session ? { session } : {}),
    ...(dialogueTime ? { dialogueTime } : {}),
    ...(createdAt ? { createdAt } : {}),
    ...(updatedAt ? { updatedAt } : {}),
    ...(source ? { source } : {}),
    provenance: message.provenance ?? [],
    metadata: decodeFacts(message.metadata ?? {}, "memory record"),
  };
}

export const encodeStoreDiff = (diff: StoreDiff): proto.StoreDiff.$Properties => ({
  created: diff.created.map(encodeRecord),
  updated: diff.updated.map(encodeRecord),
  deleted: [...diff.deleted],
});

/** @throws {PalimpsestError} CODEC */
export const decodeStoreDiff = (message: proto.StoreDiff.$Properties): StoreDiff => ({
  created: (message.created ?? []).map(decodeRecord),
  updated: (message.updated ?? []).map(decodeRecord),
  deleted: message.deleted ?? [],
});

export const encodeProbe = (probe: Probe): proto.Probe.$Properties => ({
  ...probe,
  answers: [...probe.answers],
  evidence: [...(probe.evidence ?? [])],
});

export function decodeProbe(message: proto.Probe.$Properties): Probe {
  const { category } = message;
  const evidence = message.evidence ?? [];
  return {
    question: message.question ?? "",
    answers: message.answers ?? [],
    ...(category ? { category } : {}),
    ...(evidence.length > 0 ? { evidence } : {}),
    heldOut: message.heldOut ?? false,
  };
}

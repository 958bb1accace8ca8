import type { MemoryRecord, StoreDiff, Task } from "@palimpsest/trajectories";
import type { ScoredEpisode } from "./reward-kind.js";

export function aRecord(id: string, content: string, more: Partial<MemoryRecord> = {}): MemoryRecord {
  return { id, content, memoryType: "episodic", provenance: [], metadata: {}, ...more };
}

export function aTask(more: Partial<Task> = {}): Task {
  return {
    id: "t",
    question: "Where does Ann live?",
    answers: ["Oslo"],
    document: "",
    metadata: {},
    ...more,
  };
}

export function anEpisode(diff?: Partial<StoreDiff>, more: Partial<ScoredEpisode> = {}): ScoredEpisode {
  return {
    answer: "",
    conversations: [],
    memorySteps: [],
    ...(diff ? { storeDiff: { created: [], updated: [], deleted: [], ...diff } } : {}),
    ...more,
  };
}

import { createHash } from "node:crypto";
import { sha256Of } from "@palimpsest/std";
import type { Task } from "@palimpsest/trajectories";

/**
 * Returns the first 53 bits of a SHA-256, as many as a number represents exactly. Among a million ids two have the same
 * key in one of 20,000 files.
 */
export const keyOfHash = (sha256: string): number => Number(BigInt(`0x${sha256.slice(0, 16)}`) >> 11n);

/** Returns the key that stands for a question and its right answers, with which documents of any kind may come. */
export const questionKey = ({ question, answers }: Pick<Task, "question" | "answers">): number =>
  keyOfHash(
    createHash("sha256")
      .update(JSON.stringify([question.trim(), answers]))
      .digest("hex"),
  );

/** Returns the key that stands for a task's id where ids are not kept, because they could be long. */
export const idKey = (id: string): number => keyOfHash(sha256Of(id));

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { bestCheckpoint, type ListedCheckpoint, listCheckpoints } from "@palimpsest/learner";
import { PalimpsestError } from "@palimpsest/wire";
import { checkpointDirOf } from "./run-paths.js";

/** Selects checkpoints of a run: the best by its evaluations, the one after a step, or all that are kept. */
export type CheckpointChoice = "best" | "all" | { readonly step: number };

/**
 * @param runDir folder of a run
 * @returns oldest first; at least one
 * @throws {PalimpsestError} NOT_FOUND listing the existing ones
 */
export async function checkpointsOfRun(
  runDir: string,
  choice: CheckpointChoice,
): Promise<readonly ListedCheckpoint[]> {
  const path = resolve(runDir);
  if (!existsSync(join(path, "run.json"))) {
    throw new PalimpsestError("NOT_FOUND", `${path} contains no run.json; give the folder of a run`);
  }
  const root = checkpointDirOf(path);
  const all = await listCheckpoints(root);
  const there = all.map(({ policyVersion }) => policyVersion).join(", ");
  if (all.length === 0)
    throw new PalimpsestError(
      "NOT_FOUND",
      `${path}: this run has no checkpoint yet; wait for its first step`,
    );
  if (choice === "all") return all;
  const best = choice === "best" ? await bestCheckpoint(root) : undefined;
  const found = all.filter(({ folder, policyVersion }) =>
    choice === "best" ? folder === best : policyVersion === choice.step,
  );
  if (found.length > 0) return found;
  throw new PalimpsestError(
    "NOT_FOUND",
    choice === "best"
      ? `${path}: none of the checkpoints (steps ${there}) was evaluated, so there is no best one; choose one with --step`
      : `${path}: step ${choice.step} has no checkpoint; choose one of the steps ${there} (train.keepCheckpoints sets how many are kept)`,
  );
}

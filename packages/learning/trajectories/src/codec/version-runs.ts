/**
 * Converts between bytes and records which weights sampled each token of a conversation that several versions sampled.
 */

import type { ColumnLength, VersionRun } from "@palimpsest/memory/records";
import type * as proto from "@palimpsest/wire/protocol";
import { check } from "./codec-check.js";

interface RunsOfConversation {
  readonly policyVersion: number;
  readonly sampledTokenIds: ColumnLength;
  readonly versionRuns?: readonly VersionRun[];
}

/**
 * Encodes all runs of a trajectory, each with the index of its conversation. Conversations without runs cost no bytes.
 */
export function versionRunsMessage(
  conversations: readonly RunsOfConversation[],
): proto.VersionRun.$Properties[] {
  return conversations.flatMap(({ versionRuns = [] }, conversation) =>
    versionRuns.map((run) => ({ conversation, ...run })),
  );
}

/** Returns the runs of each conversation that has some, by its index. */
export function versionRunsOf(
  message: readonly proto.VersionRun.$Properties[],
): ReadonlyMap<number, readonly VersionRun[]> {
  const runs = new Map<number, VersionRun[]>();
  for (const { conversation, policyVersion, tokens } of message) {
    const run = { policyVersion: policyVersion ?? 0, tokens: tokens ?? 0 };
    const known = runs.get(conversation ?? 0);
    if (known === undefined) runs.set(conversation ?? 0, [run]);
    else known.push(run);
  }
  return runs;
}

/** @throws {PalimpsestError} CODEC */
export function checkVersionRuns(
  { policyVersion, sampledTokenIds, versionRuns }: RunsOfConversation,
  at: string,
): void {
  if (versionRuns === undefined) return;
  const field = `${at}.versionRuns`;
  const tokens = versionRuns.reduce((sum, run) => sum + run.tokens, 0);
  check(
    tokens === sampledTokenIds.length,
    field,
    `have ${tokens} tokens, but the conversation has ${sampledTokenIds.length} sampled tokens`,
  );
  for (const [index, run] of versionRuns.entries()) {
    const whole = Number.isSafeInteger(run.tokens) && run.tokens > 0;
    check(whole, `${field}[${index}].tokens`, `is ${run.tokens}, but must be a whole number ≥ 1`);
    check(
      Number.isSafeInteger(run.policyVersion) && run.policyVersion >= policyVersion,
      `${field}[${index}].policyVersion`,
      `is ${run.policyVersion}, but must be a whole number and at least the conversation's oldest version, ${policyVersion}`,
    );
  }
}

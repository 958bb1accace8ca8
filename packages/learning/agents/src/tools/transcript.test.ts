import { plainSampling } from "@palimpsest/memory/records";
import { expect, it } from "vitest";
import { Transcript } from "./transcript.js";

const turn = (tokens: number, policyVersion: number) => ({
  tokenIds: Array.from({ length: tokens }, (_, at) => at),
  rolloutLogprobs: Array.from({ length: tokens }, () => -1),
  stopReason: "stop" as const,
  policyVersion,
  weightsHash: "",
});

it("says which version sampled which tokens, where weights change between turns, and its oldest one", () => {
  const transcript = new Transcript([1], plainSampling);
  transcript.addTurn(turn(3, 4));
  transcript.addMasked([7, 7]);
  transcript.addTurn(turn(2, 4));
  expect(transcript.conversation()).toMatchObject({ policyVersion: 4 });
  expect(transcript.conversation().versionRuns).toBeUndefined();
  transcript.addMasked([7]);
  transcript.addTurn(turn(5, 6));
  const { versionRuns, policyVersion, sampledTokenIds } = transcript.conversation();
  expect(versionRuns).toEqual([
    { policyVersion: 4, tokens: 8 },
    { policyVersion: 6, tokens: 5 },
  ]);
  expect([policyVersion, sampledTokenIds.length]).toEqual([4, 13]);
});

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

it("takes over the versions of a turn during which weights changed", () => {
  const transcript = new Transcript([1], plainSampling);
  transcript.addTurn(turn(2, 4));
  const versionRuns = [
    { policyVersion: 4, tokens: 3 },
    { policyVersion: 5, tokens: 2 },
  ];
  transcript.addTurn({ ...turn(5, 4), versionRuns });
  transcript.addTurn(turn(1, 5));
  expect(transcript.conversation()).toMatchObject({
    policyVersion: 4,
    versionRuns: [
      { policyVersion: 4, tokens: 5 },
      { policyVersion: 5, tokens: 3 },
    ],
  });
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

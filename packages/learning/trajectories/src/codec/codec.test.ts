import type { MemoryRecord } from "@palimpsest/memory/records";
import {
  type Conversation,
  plainSampling,
  type Sampling,
  type Score,
  type Trajectory,
} from "@palimpsest/memory/records";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aTask, aTrajectory, withArrays } from "../testing/builders.js";
import { decodeScore, encodeScore } from "./score-codec.js";
import { decodeTask, encodeTask } from "./task-codec.js";
import {
  decodeTrajectory,
  decodeTrajectoryHead,
  encodeTrajectory,
  encodeTrajectoryParts,
} from "./trajectory-codec.js";
import { trajectoryMessage, trajectoryOfMessage } from "./trajectory-message.js";

const int32 = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const int64 = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const id = fc.string({ minLength: 1, unit: "grapheme" });
const text = fc.string({ unit: "grapheme" });
const float32 = fc.float({ noNaN: true, noDefaultInfinity: true }).filter((x) => !Object.is(x, -0));
const float64 = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((x) => !Object.is(x, -0));
// A name that is a plain own key in every object.
const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_]*$/).filter((word) => !(word in {}));

const sampling: fc.Arbitrary<Sampling> = fc.record({
  temperature: fc.oneof(fc.constantFrom(0, 0.6, 1), fc.double({ min: 1e-3, max: 10, noNaN: true })),
  topP: fc.double({ min: 1e-3, max: 1, noNaN: true }),
  topK: int32,
  minP: fc.double({ min: 0, max: 1, noNaN: true }).filter((x) => !Object.is(x, -0)),
});

/** The runs of a conversation whose weights changed once. */
const versionRuns = (length: number) =>
  fc.integer({ min: 1, max: length - 1 }).map((first) => [
    { policyVersion: 2 ** 41, tokens: first },
    { policyVersion: 2 ** 41 + 1, tokens: length - first },
  ]);

const conversation: fc.Arbitrary<Conversation> = fc
  .record({
    length: fc.integer({ min: 0, max: 20 }),
    masked: fc.boolean(),
    drawn: fc.boolean(),
    changed: fc.boolean(),
  })
  .chain(({ length, masked, drawn, changed }) => {
    const perToken = { minLength: length, maxLength: length };
    return fc.record({
      kind: fc.constantFrom("memory", "final", "tool"),
      step: int32,
      promptTokenIds: fc.array(int32),
      sampledTokenIds: fc.array(int32, perToken),
      rolloutLogprobs: fc.array(float32, perToken),
      ...(drawn && length > 0 ? { sampledLogprobs: fc.array(float32, perToken) } : {}),
      sampling,
      stopReason: fc.constantFrom("stop", "length", "abort"),
      policyVersion: fc.integer({ min: 0, max: 2 ** 40 }),
      ...(changed && length > 1 ? { versionRuns: versionRuns(length) } : {}),
      ...(masked && length > 0 ? { lossMask: fc.array(fc.constantFrom(0, 1), perToken) } : {}),
    });
  });

const trajectory: fc.Arbitrary<Trajectory> = fc
  .record({
    trajectoryId: id,
    groupId: id,
    taskId: id,
    episodeIndex: int32,
    agent: text,
    policyVersionMin: int64,
    policyVersionMax: int64,
    weightsHash: text,
    conversations: fc.array(conversation, { maxLength: 5 }),
    answer: text,
    memorySteps: fc.array(
      fc.record({
        step: int32,
        documentTokenStart: int64,
        documentTokenEnd: int64,
        memory: text,
        recalled: text,
      }),
    ),
    startedAtMs: int64,
    endedAtMs: int64,
    actorId: text,
    droppedDocumentTokens: int64,
  })
  .map((value) => ({
    ...value,
    policyVersionMin: Math.min(value.policyVersionMin, value.policyVersionMax),
    policyVersionMax: Math.max(value.policyVersionMin, value.policyVersionMax),
  }));

describe("codec", () => {
  it("gives back every trajectory as it was (T3)", () => {
    fc.assert(
      fc.property(trajectory, (value) => {
        expect(withArrays(decodeTrajectory(encodeTrajectory(value)))).toEqual(value);
      }),
      { seed: 1 },
    );
  });

  it("gives back every score as it was", () => {
    const score: fc.Arbitrary<Score> = fc.record(
      {
        reward: float64,
        components: fc.dictionary(name, float64, { noNullPrototype: true }),
        stepRewards: fc.array(float64, { minLength: 1 }),
      },
      { requiredKeys: ["reward", "components"] },
    );
    fc.assert(
      fc.property(score, (value) => {
        expect(decodeScore(encodeScore(value, { trajectoryId: "t" }))).toEqual(value);
      }),
      { seed: 1 },
    );
  });

  it("gives back a task with every kind of metadata", () => {
    const task = aTask({ metadata: { kind: "niah", lengthTokens: 0, hard: false, share: 0.5, empty: "" } });
    expect(decodeTask(encodeTask(task))).toEqual(task);
  });

  it("gives back a task with a memory store and questions about it, and tells an empty store from none", () => {
    const record: MemoryRecord = {
      id: "memory-1",
      content: "Ana moved to Porto.",
      memoryType: "episodic",
      speaker: "Ana",
      session: "session_3",
      dialogueTime: "2023-05-08T13:56",
      createdAt: "2026-01-02T03:04:05Z",
      updatedAt: "2026-01-02T03:04:06Z",
      source: "observation",
      provenance: ["D1:3"],
      metadata: { certain: true },
    };
    const task = aTask({
      document: "",
      records: [record, { id: "2", content: "", memoryType: "semantic", provenance: [], metadata: {} }],
      probes: [
        { question: "Where?", answers: ["Porto"], category: "single-hop", evidence: ["D1:3"], heldOut: true },
        { question: "Who?", answers: [], heldOut: false },
      ],
    });
    expect(decodeTask(encodeTask(task))).toEqual(task);
    expect(decodeTask(encodeTask(aTask({ records: [] }))).records).toEqual([]);
    expect(decodeTask(encodeTask(aTask())).records).toBeUndefined();
    const value = aTrajectory({
      storeDiff: { created: [record], updated: [], deleted: ["2"] },
      counters: { num_turns: 3, "tool_call_counts.search_memory": 2 },
      memorySteps: [
        {
          step: 0,
          documentTokenStart: 0,
          documentTokenEnd: 4,
          memory: "m",
          recalled: "r",
          recallQuery: "q",
          found: "f",
          head: 2,
          written: false,
          exit: true,
          reply: "<update>m</update>",
          section: "s",
        },
      ],
    });
    expect(withArrays(decodeTrajectory(encodeTrajectory(value)))).toEqual(value);
  });

  it("refuses sampling that no sampler does, naming the field", () => {
    const [first] = aTrajectory().conversations;
    const broken = (changes: Partial<Sampling>) =>
      aTrajectory({
        conversations: [{ ...(first as Conversation), sampling: { ...plainSampling, ...changes } }],
      });
    for (const [changes, words] of [
      [{ temperature: -1 }, "conversations[0].sampling.temperature is -1"],
      [{ temperature: Number.NaN }, "sampling.temperature is NaN"],
      [{ topP: 0 }, "sampling.topP is 0"],
      [{ topK: 1.5 }, "sampling.topK is 1.5"],
      [{ minP: 2 }, "sampling.minP is 2"],
    ] as const) {
      expect(() => encodeTrajectory(broken(changes))).toThrow(words);
      const bytes = encodeTrajectory(aTrajectory());
      const view = new DataView(bytes.buffer);
      // The row of the first conversation begins at byte 16, its float64 numbers at byte 56.
      const at = { temperature: 56, topP: 64, minP: 72 }[Object.keys(changes)[0] as string];
      if (at === undefined) continue;
      view.setFloat64(at, Object.values(changes)[0] as number, true);
      expect(() => decodeTrajectoryHead(bytes)).toThrow(words.replace("conversations[0].", ""));
    }
  });

  it("refuses versions of tokens that the conversation does not have, naming the field", () => {
    const [first] = aTrajectory().conversations;
    const encodedWith = (...runs: [policyVersion: number, tokens: number][]) =>
      encodeTrajectory(
        aTrajectory({
          conversations: [
            {
              ...(first as Conversation),
              policyVersion: 3,
              versionRuns: runs.map(([policyVersion, tokens]) => ({ policyVersion, tokens })),
            },
          ],
        }),
      );
    const { length } = (first as Conversation).sampledTokenIds;
    expect(() => encodedWith([3, length], [4, 1])).toThrow(
      `conversations[0].versionRuns have ${length + 1} tokens, but the conversation has ${length} sampled tokens`,
    );
    expect(() => encodedWith([3, length + 1], [4, -1])).toThrow(
      "conversations[0].versionRuns[1].tokens is -1",
    );
    expect(() => encodedWith([2, length])).toThrow("conversations[0].versionRuns[0].policyVersion is 2");
    const decoded = decodeTrajectory(encodedWith([4, length - 1], [5, 1]));
    expect(decoded.conversations[0]?.versionRuns).toEqual([
      { policyVersion: 4, tokens: length - 1 },
      { policyVersion: 5, tokens: 1 },
    ]);
  });

  it("refuses log-probabilities that do not match the sampled tokens", () => {
    const value = aTrajectory();
    const [first] = value.conversations;
    const broken = { ...value, conversations: [{ ...first, rolloutLogprobs: [] } as Conversation] };
    expect(codeOf(() => encodeTrajectory(broken))).toBe("CODEC");
    expect(() => encodeTrajectory(broken)).toThrow("conversations[0].rolloutLogprobs");
    const short = { ...value, conversations: [{ ...first, sampledLogprobs: [-1] } as Conversation] };
    expect(() => encodeTrajectory(short)).toThrow("conversations[0].sampledLogprobs has 1 numbers for 2");
    const endless = {
      ...value,
      conversations: [{ ...first, sampledLogprobs: [-1, -Infinity] } as Conversation],
    };
    expect(() => encodeTrajectory(endless)).toThrow("conversations[0].sampledLogprobs[1] is -Infinity");
  });

  it("refuses bytes of another shape, cut bytes and unknown words", () => {
    const bytes = encodeTrajectory(aTrajectory());
    expect(codeOf(() => decodeTrajectory(bytes.subarray(0, bytes.length - 1)))).toBe("CODEC");
    expect(codeOf(() => decodeTrajectory(new Uint8Array([255, 255, 255])))).toBe("CODEC");
    expect(codeOf(() => decodeTrajectory(new Uint8Array()))).toBe("CODEC");
    const [dream] = aTrajectory().conversations.map((one) => ({ ...one, kind: "dream" }));
    const unknownKind = encodeTrajectory(aTrajectory({ conversations: [dream as unknown as Conversation] }));
    expect(() => decodeTrajectory(unknownKind)).toThrow("conversations[0] has kind 4294967295 of 3");
    expect(codeOf(() => decodeTrajectoryHead(unknownKind))).toBe("CODEC");
  });

  it("refuses a trajectory of another format by its number, and says what to do", () => {
    const first = proto.Trajectory.encode({ trajectoryId: "t", groupId: "g", taskId: "k" }).finish();
    expect(() => decodeTrajectory(first)).toThrow(/\[CODEC\] .*format 1 .*reads format 3.*finish the run/);
    const later = encodeTrajectory(aTrajectory());
    // Format 2 did not record the sampling settings. Trained as plain sampling, its tokens would be those of another
    // policy.
    for (const format of [2, 4]) {
      new DataView(later.buffer).setUint32(4, format, true);
      expect(() => decodeTrajectory(later)).toThrow(
        new RegExp(`\\[CODEC\\] .*format ${format} .*reads format 3`),
      );
    }
  });

  it("refuses lengths that do not fit the bytes, however large they claim to be", () => {
    for (const at of [8, 12, 16, 20, 24]) {
      for (const value of [0, 1, 2 ** 31, 2 ** 32 - 1]) {
        const bytes = encodeTrajectory(aTrajectory());
        const view = new DataView(bytes.buffer);
        if (view.getUint32(at, true) === value) continue;
        view.setUint32(at, value, true);
        expect(
          codeOf(() => decodeTrajectory(bytes)),
          `${value} at ${at}`,
        ).toBe("CODEC");
      }
    }
  });

  it("refuses kinds, stop reasons and policy versions that there are not", () => {
    for (const at of [32, 36, 44]) {
      const bytes = encodeTrajectory(aTrajectory());
      new DataView(bytes.buffer).setUint32(at, 2 ** 32 - 1, true);
      expect(
        codeOf(() => decodeTrajectory(bytes)),
        String(at),
      ).toBe("CODEC");
    }
  });

  it("refuses token ids that are no 32-bit integers and log-probabilities that are not finite", () => {
    const [first] = aTrajectory().conversations as [Conversation];
    const broken = (fields: Partial<Conversation>) =>
      aTrajectory({ conversations: [{ ...first, ...fields }] });
    for (const id of [2 ** 31, 0.5, Number.NaN]) {
      expect(() => encodeTrajectory(broken({ promptTokenIds: [1, id] }))).toThrow(
        `conversations[0].promptTokenIds[1] is ${id}`,
      );
    }
    for (const value of [Number.NaN, Number.NEGATIVE_INFINITY, 1e39]) {
      const trajectory = broken({ rolloutLogprobs: [0, value] });
      expect(() => decodeTrajectory(encodeTrajectory(trajectory))).toThrow(
        "conversations[0].rolloutLogprobs[1]",
      );
    }
  });

  it("takes an engine's NaN for a log-probability before temperature where there is one after it", () => {
    const [first] = aTrajectory().conversations as [Conversation];
    const told = (rolloutLogprobs: number[]) =>
      aTrajectory({ conversations: [{ ...first, rolloutLogprobs, sampledLogprobs: [-1, -2] }] });
    const unknown = told([Number.NaN, Number.NaN]);
    expect(withArrays(decodeTrajectory(encodeTrajectory(unknown)))).toEqual(unknown);
    expect(trajectoryOfMessage(trajectoryMessage(unknown) as proto.Trajectory)).toEqual(unknown);
    for (const value of [Number.NEGATIVE_INFINITY, 1e39]) {
      expect(() => encodeTrajectory(told([Number.NaN, value]))).toThrow(
        "conversations[0].rolloutLogprobs[1]",
      );
    }
  });

  it("reads columns as views, and as one copy where the bytes are not aligned", () => {
    const bytes = encodeTrajectory(aTrajectory());
    expect(decodeTrajectory(bytes).conversations[0]?.promptTokenIds).toMatchObject({ buffer: bytes.buffer });
    for (const offset of [1, 2, 3, 4]) {
      const moved = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset);
      expect(withArrays(decodeTrajectory(moved))).toEqual(aTrajectory());
    }
  });

  it("reads the head alone, from the bytes before the columns", () => {
    const { bytes, headBytes } = encodeTrajectoryParts(aTrajectory());
    const { conversations, ...rest } = decodeTrajectoryHead(bytes.subarray(0, headBytes));
    expect({ ...rest, conversations: [] }).toEqual(aTrajectory({ conversations: [] }));
    expect(conversations).toEqual([
      {
        kind: "final",
        step: 0,
        promptTokenIds: { length: 3 },
        sampledTokenIds: { length: 2 },
        sampling: plainSampling,
        stopReason: "stop",
        policyVersion: 0,
      },
    ]);
    expect(codeOf(() => decodeTrajectoryHead(bytes.subarray(0, headBytes - 1)))).toBe("CODEC");
    expect(codeOf(() => decodeTrajectory(bytes.subarray(0, headBytes)))).toBe("CODEC");
  });

  it("never reads a failed or non-finite score as a number (T4)", () => {
    const failed = proto.TrajectoryScore.encode({
      trajectoryId: "t",
      failure: { code: "INTERNAL", message: "judge is away" },
    }).finish();
    expect(() => decodeScore(failed)).toThrow("judge is away");
    expect(codeOf(() => encodeScore({ reward: Number.NaN, components: {} }, { trajectoryId: "t" }))).toBe(
      "CODEC",
    );
  });
});

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return error instanceof PalimpsestError ? error.code : String(error);
  }
  return undefined;
}

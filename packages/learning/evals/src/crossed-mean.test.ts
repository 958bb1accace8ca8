import { createRandom } from "@palimpsest/std/random";
import { expect, it } from "vitest";
import { crossedMean } from "./crossed-mean.js";
import { meanInterval } from "./resampling.js";

/** Differences of 40 questions under some runs, whose true mean is 0: effects of the run, of the question, and of both. */
function drawn(seed: number, runs: number) {
  const random = createRandom(`crossed/${seed}`);
  const uniform = () => random.uint32() / 2 ** 32 - 0.5;
  const ofRun = Array.from({ length: runs }, uniform);
  const ofQuestion = Array.from({ length: 40 }, uniform);
  return ofRun.flatMap((run, r) =>
    ofQuestion.map((question, q) => ({
      value: 0.6 * run + question + uniform(),
      run: `run ${r}`,
      question: `question ${q}`,
    })),
  );
}

it("covers the mean of other runs and questions, which an interval over questions alone does not", () => {
  const draws = 300;
  for (const runs of [3, 5]) {
    let [crossed, questions] = [0, 0];
    for (let seed = 0; seed < draws; seed++) {
      const observations = drawn(seed, runs);
      const own = crossedMean(observations).interval;
      if (own.low <= 0 && own.high >= 0) crossed += 1;
      const other = meanInterval(observations.map(({ value, question }) => ({ value, cluster: question })));
      if (other.low <= 0 && other.high >= 0) questions += 1;
    }
    expect(crossed / draws).toBeGreaterThan(0.93);
    expect(questions / draws).toBeLessThan(0.9);
  }
});

it("has Student's quantiles: of two runs' one degree of freedom 12.706, of three runs' two 4.303, of eleven runs' ten 2.228", () => {
  for (const [runs, t] of [
    [2, 12.706],
    [3, 4.303],
    [4, 3.182],
    [11, 2.228],
  ] as const) {
    // Values that depend on the run alone: the standard error is the runs' own.
    const values = Array.from({ length: runs }, (_, r) => (r % 2 === 0 ? 1 : 2) + r / 10);
    const observations = values.flatMap((value, r) =>
      Array.from({ length: 20 }, (_, q) => ({ value, run: String(r), question: String(q) })),
    );
    const { mean, interval } = crossedMean(observations);
    const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (runs - 1);
    expect((interval.high - mean) / Math.sqrt(square / runs)).toBeCloseTo(t, 2);
  }
});

it("has a p of 1 for no difference, and a small one where every run and question says the same", () => {
  const same = (value: number) =>
    [0, 1, 2].flatMap((run) => [0, 1, 2].map((q) => ({ value, run: String(run), question: String(q) })));
  expect(crossedMean(same(0)).p).toBe(1);
  expect(crossedMean(same(0.2)).p).toBe(0);
  const nearly = same(0.2).map((one, i) => ({ ...one, value: one.value + (i % 2) / 1000 }));
  expect(crossedMean(nearly).p).toBeLessThan(0.001);
});

it("refuses fewer than two runs or questions, from which no variance is known", () => {
  const of = (runs: number, questions: number) =>
    Array.from({ length: runs * questions }, (_, i) => ({
      ...{ value: i % 3, run: String(i % runs), question: String(Math.floor(i / runs)) },
    }));
  for (const [runs, questions] of [
    [0, 0],
    [1, 5],
    [5, 1],
  ] as const)
    expect(() => crossedMean(of(runs, questions))).toThrow(
      `NOT_COMPARABLE] observations: are of ${runs} training runs and ${questions} questions`,
    );
});

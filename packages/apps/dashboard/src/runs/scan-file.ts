/** Reads a trace file from an offset on, and reports for each complete line where it is and what it is about. */
import { laneSummaries } from "@palimpsest/evals/microscope";
import { type Trace, traceSchema } from "@palimpsest/evals/trace-schema";
import type { EpisodeRow } from "../api/runs.js";
import { readLines } from "./read-lines.js";

const blockBytes = 4 * 1024 * 1024;
/** Maximum bytes of a line; a longer one is skipped and reported. */
export const maxLineBytes = 32 * 1024 * 1024;
const shownQuestion = 240;
const shownAnswer = 160;

export interface ScannedLine {
  readonly offsetBytes: number;
  readonly sizeBytes: number;
  /** Undefined when the line is not a trace that this program reads. */
  readonly row: Omit<EpisodeRow, "at"> | undefined;
  readonly problem: string;
}

export async function* scanFile(path: string, fromBytes: number): AsyncGenerator<ScannedLine> {
  for await (const { text, ...place } of readLines(path, fromBytes, { blockBytes, maxLineBytes }))
    yield text === undefined
      ? { ...place, row: undefined, problem: `a line has more than ${maxLineBytes} bytes` }
      : { ...place, ...readLine(text) };
}

function readLine(text: string): Pick<ScannedLine, "row" | "problem"> {
  try {
    const parsed = traceSchema.safeParse(JSON.parse(text));
    if (parsed.success) return { row: rowOf(parsed.data), problem: "" };
    const [issue] = parsed.error.issues;
    return { row: undefined, problem: `a line is not a trace: ${issue?.path.join(".")}: ${issue?.message}` };
  } catch {
    return { row: undefined, problem: "a line is not JSON" };
  }
}

function rowOf(trace: Trace): Omit<EpisodeRow, "at"> {
  const { trainingStep, groupId, episodeIndex, reward, failure, discarded, conversations } = trace;
  return {
    id: trace.trajectoryId,
    origin: trace.origin,
    agent: trace.agent,
    ...(trainingStep === undefined ? {} : { step: trainingStep }),
    ...(groupId === undefined ? {} : { group: groupId }),
    ...(episodeIndex === undefined ? {} : { member: episodeIndex }),
    question: trace.task.question.slice(0, shownQuestion),
    answer: trace.answer.slice(0, shownAnswer),
    ...(reward === undefined ? {} : { reward: reward.total }),
    ...(failure === undefined ? {} : { failure }),
    ...(discarded === undefined ? {} : { discarded }),
    chunks: trace.memorySteps.length || conversations.length,
    sampledTokens: conversations.reduce((sum, { sampledTokens }) => sum + sampledTokens, 0),
    lanes: laneSummaries(trace),
  };
}

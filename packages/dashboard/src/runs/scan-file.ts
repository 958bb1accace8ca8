/** Reads a trace file from one place on, and tells of each whole line where it lies and what it is about. */
import { open } from "node:fs/promises";
import { laneSummaries } from "@palimpsest/evals/microscope";
import { type Trace, traceSchema } from "@palimpsest/evals/trace-schema";
import type { EpisodeRow } from "../api/runs.js";

const readBytes = 4 * 1024 * 1024;
/** A longer line is passed over, and said so. */
export const maxLineBytes = 32 * 1024 * 1024;
const shownQuestion = 240;
const shownAnswer = 160;

export interface ScannedLine {
  readonly offsetBytes: number;
  readonly sizeBytes: number;
  /** Undefined: it is no trace that this program reads. */
  readonly row: Omit<EpisodeRow, "at"> | undefined;
  readonly problem: string;
}

/** Whole lines from `fromBytes` on; half a line at the end is left for the next time. */
export async function* scanFile(path: string, fromBytes: number): AsyncGenerator<ScannedLine> {
  const file = await open(path, "r");
  try {
    let held = Buffer.alloc(0);
    let heldAt = fromBytes;
    let skipping = false;
    const block = Buffer.alloc(readBytes);
    for (let at = fromBytes; ; ) {
      const { bytesRead } = await file.read(block, 0, readBytes, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      const bytes = Buffer.concat([held, block.subarray(0, bytesRead)]);
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        const place = { offsetBytes: heldAt + from, sizeBytes: end - from };
        if (skipping) {
          yield { ...place, row: undefined, problem: `a line has more than ${maxLineBytes} bytes` };
          skipping = false;
        } else if (end > from) yield { ...place, ...readLine(bytes.subarray(from, end).toString("utf8")) };
        from = end + 1;
      }
      held = Buffer.from(bytes.subarray(from));
      heldAt += from;
      if (held.byteLength > maxLineBytes) {
        heldAt += held.byteLength;
        held = Buffer.alloc(0);
        skipping = true;
      }
    }
  } finally {
    await file.close();
  }
}

function readLine(text: string): Pick<ScannedLine, "row" | "problem"> {
  try {
    const parsed = traceSchema.safeParse(JSON.parse(text));
    if (parsed.success) return { row: rowOf(parsed.data), problem: "" };
    const [issue] = parsed.error.issues;
    return { row: undefined, problem: `a line is no trace: ${issue?.path.join(".")}: ${issue?.message}` };
  } catch {
    return { row: undefined, problem: "a line is no JSON" };
  }
}

function rowOf(trace: Trace): Omit<EpisodeRow, "at"> {
  const { trainingStep, groupId, episodeIndex, reward, failure, discarded, conversations } = trace;
  return {
    id: trace.trajectoryId,
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

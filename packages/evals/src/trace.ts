import type { Tokenizer } from "@palimpsest/agents";
import type { MemoryStep, Score, Task } from "@palimpsest/trajectories";

/** One episode for people: what was read, what the memory became, what came of it. */
export interface EpisodeTrace {
  readonly taskId: string;
  readonly question: string;
  /** The right answers. */
  readonly answers: readonly string[];
  readonly answer: string;
  readonly score: Score;
  readonly documentTokens: number;
  readonly steps: readonly TraceStep[];
}

export interface TraceStep {
  readonly step: number;
  readonly documentTokenStart: number;
  readonly documentTokenEnd: number;
  readonly section: string;
  readonly memory: string;
  /** False where the step wrote the memory as it stood. */
  readonly changed: boolean;
}

/** @param episode answer and memory steps, of an agent's result or of a trajectory */
export function traceEpisode(
  task: Task,
  episode: { readonly answer: string; readonly steps: readonly MemoryStep[] },
  score: Score,
  tokenizer: Tokenizer,
): EpisodeTrace {
  const documentIds = tokenizer.encode(task.document);
  const steps = episode.steps.map((step, i): TraceStep => {
    const { documentTokenStart, documentTokenEnd, memory } = step;
    return {
      step: step.step,
      documentTokenStart,
      documentTokenEnd,
      section: tokenizer.decode(documentIds.slice(documentTokenStart, documentTokenEnd)),
      memory,
      changed: memory !== episode.steps[i - 1]?.memory,
    };
  });
  const { id: taskId, question, answers } = task;
  return {
    taskId,
    question,
    answers,
    answer: episode.answer,
    score,
    documentTokens: documentIds.length,
    steps,
  };
}

/**
 * The trace as Markdown.
 * @param options.mostCharacters longer sections are cut in the middle, and say so. Default 600
 */
export function traceMarkdown(trace: EpisodeTrace, options: { mostCharacters?: number } = {}): string {
  const { mostCharacters = 600 } = options;
  const lines = [
    "# One episode, step by step",
    "",
    `Task \`${trace.taskId}\`, ${trace.documentTokens} document tokens.`,
    "",
    `**Question:** ${trace.question}`,
    "",
  ];
  for (const step of trace.steps) {
    lines.push(
      `## Step ${step.step}: tokens ${step.documentTokenStart} to ${step.documentTokenEnd}`,
      "",
      "Section:",
      ...fenced(shorten(step.section, mostCharacters)),
      `Memory after it${step.changed ? "" : " (as before)"}:`,
      ...fenced(step.memory === "" ? "(empty)" : step.memory),
    );
  }
  lines.push(
    "## Answer",
    ...fenced(trace.answer),
    `Right: ${trace.answers.map((answer) => `\`${answer}\``).join(" or ")}. Reward ${trace.score.reward}.`,
    "",
  );
  return lines.join("\n");
}

/** A code block that the text itself cannot close. */
function fenced(text: string): string[] {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return ["", fence, text.trim(), fence, ""];
}

function shorten(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const half = Math.floor(most / 2);
  const head = characters.slice(0, half).join("");
  const tail = characters.slice(-half).join("");
  return `${head} … (${characters.length - 2 * half} characters left out) … ${tail}`;
}

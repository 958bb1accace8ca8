import type { Trace } from "./trace-schema.js";

/**
 * Renders a trace as Markdown.
 * @param options.mostCharacters longer sections are cut in the middle and say so. Default 600
 */
export function traceMarkdown(trace: Trace, options: { readonly mostCharacters?: number } = {}): string {
  const { mostCharacters = 600 } = options;
  const { documentTokens } = trace;
  const lines = [
    "# One episode, step by step",
    "",
    `Task \`${trace.task.id}\`${documentTokens === undefined ? "" : `, ${documentTokens} document tokens`}.`,
    "",
    `**Question:** ${trace.task.question}`,
    "",
  ];
  trace.memorySteps.forEach((step, index) => {
    const before = trace.memorySteps[index - 1];
    const unchanged = before !== undefined && before.memory === step.memory;
    lines.push(
      `## Step ${step.step}: tokens ${step.documentTokenStart} to ${step.documentTokenEnd}`,
      "",
      ...(step.section === undefined ? [] : ["Section:", ...fenced(shorten(step.section, mostCharacters))]),
      ...(step.recalled === "" ? [] : ["Recalled:", ...fenced(shorten(step.recalled, mostCharacters))]),
      `Memory after it${unchanged ? " (as before)" : ""}:`,
      ...fenced(step.memory === "" ? "(empty)" : step.memory),
    );
  });
  const { answers } = trace.task;
  const right =
    answers.length === 0 ? "" : `Right: ${answers.map((answer) => `\`${answer}\``).join(" or ")}. `;
  const reward = trace.reward === undefined ? "" : `Reward ${trace.reward.total}.`;
  lines.push("## Answer", ...fenced(trace.answer), `${right}${reward}`.trim(), "");
  return lines.join("\n");
}

/** Returns a code block that the text itself cannot close. */
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
  return `${head} … (${characters.length - 2 * half} characters omitted) … ${tail}`;
}

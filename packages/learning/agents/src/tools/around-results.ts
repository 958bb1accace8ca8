import type { ChatFormat, ChatTurn, RenderOptions } from "../chat-format.js";
import { AgentError } from "../error.js";

/** The texts before the first result of a turn's calls, between two results, and after the last. */
export type AroundResults = readonly [string, string, string];

/** Stand for contents of turns. They contain private-use characters, so that no template changes them. */
const standIns = ["turn", "first", "second"].map((name) => `\u{f0000}${name}\u{f0000}`) as [
  string,
  string,
  string,
];

/**
 * Returns what the format writes around the results after a turn. Templates that support tools have a role for results;
 * with other templates results are a user's turn, each between <tool_response> and </tool_response>.
 */
export function aroundResults(
  format: ChatFormat,
  opening: readonly ChatTurn[],
  options: RenderOptions,
  knowsTools: boolean,
): AroundResults {
  const [turn, first, second] = standIns;
  const turns = (results: readonly ChatTurn[]): ChatTurn[] => [
    ...opening,
    { role: "assistant", content: turn },
    ...results,
  ];
  const asTools = turns([
    { role: "tool", content: first },
    { role: "tool", content: second },
  ]);
  const asUser = turns([
    {
      role: "user",
      content: `<tool_response>\n${first}\n</tool_response>\n<tool_response>\n${second}\n</tool_response>`,
    },
  ]);
  for (const conversation of knowsTools ? [asTools, asUser] : [asUser]) {
    const text = tryRender(format, conversation, options);
    const places = standIns.map((standIn) => text?.split(standIn).length === 2 && text.indexOf(standIn));
    const [turnAt, firstAt, secondAt] = places;
    if (text === undefined || typeof turnAt !== "number") continue;
    if (typeof firstAt !== "number" || typeof secondAt !== "number") continue;
    if (turnAt > firstAt || firstAt > secondAt) continue;
    return [
      text.slice(turnAt + turn.length, firstAt),
      text.slice(firstAt + first.length, secondAt),
      text.slice(secondAt + second.length),
    ];
  }
  throw new AgentError(
    "BAD_CONFIG",
    "prompt: the model's chat template does not render the results of tools; use prompt: chatml or text",
  );
}

export function tryRender(
  format: ChatFormat,
  turns: readonly ChatTurn[],
  options: RenderOptions,
): string | undefined {
  try {
    return format.render(turns, options);
  } catch {
    return undefined;
  }
}

export function render(format: ChatFormat, turns: readonly ChatTurn[], options: RenderOptions): string {
  try {
    return format.render(turns, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AgentError(
      "BAD_CONFIG",
      `prompt: the model's chat template refuses a ${turns.map(({ role }) => role).join(" and a ")} turn (${reason}); use prompt: chatml or text`,
    );
  }
}

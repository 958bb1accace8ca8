import type { Conversation } from "@palimpsest/trajectories";
import type { TraceToolCall } from "./trace-schema.js";

const call = /<tool_call>([\s\S]*?)<\/tool_call>/g;
const response = /<tool_response>([\s\S]*?)<\/tool_response>/g;

/**
 * Returns the calls of an episode with tools, each with its answer: from the same text when a conversation continues
 * after the call, else from the next one's prompt.
 */
export function toolCallsOf(
  conversations: readonly Conversation[],
  decode: (tokenIds: readonly number[]) => string,
): TraceToolCall[] {
  return conversations.flatMap((conversation, index): TraceToolCall[] => {
    if (conversation.kind !== "tool") return [];
    const said = decode([...conversation.sampledTokenIds]);
    const calls = innerTexts(said, call);
    if (calls.length === 0) return [];
    const next = conversations[index + 1];
    const inside = innerTexts(said, response);
    // The prompt before the next turn ends with the answers to this one.
    const results =
      inside.length > 0 || next === undefined
        ? inside
        : innerTexts(decode([...next.promptTokenIds]), response).slice(-calls.length);
    return calls.map((text, place) => {
      const result = results[place];
      return {
        step: conversation.step,
        ...readCall(text),
        ...(result === undefined ? {} : { result }),
      };
    });
  });
}

const innerTexts = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, inner = ""]) => inner.trim());

function readCall(text: string): { readonly name: string; readonly arguments: string } {
  try {
    const value = JSON.parse(text) as { readonly name?: unknown; readonly arguments?: unknown } | null;
    if (typeof value?.name === "string") {
      return { name: value.name, arguments: JSON.stringify(value.arguments ?? {}) };
    }
  } catch {
    // It is shown as the model wrote it.
  }
  return { name: "", arguments: text };
}

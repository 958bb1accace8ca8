import { parseToolCalls, type ToolCallBlock } from "@palimpsest/agents";
import type { Conversation } from "@palimpsest/trajectories";
import type { TraceToolCall } from "./trace-schema.js";

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
    const { blocks: calls } = parseToolCalls(said);
    if (calls === null) return [];
    const next = conversations[index + 1];
    const inside = answersIn(said);
    // The prompt before the next turn ends with the answers to this one.
    const results =
      inside.length > 0 || next === undefined
        ? inside
        : answersIn(decode([...next.promptTokenIds])).slice(-calls.length);
    return calls.map((block, place) => {
      const result = results[place];
      return { step: conversation.step, ...shown(block), ...(result === undefined ? {} : { result }) };
    });
  });
}

const answersIn = (text: string) => [...text.matchAll(response)].map(([, inner = ""]) => inner.trim());

/** A malformed call is shown as the model wrote it. */
const shown = (block: ToolCallBlock) =>
  "call" in block
    ? { name: block.call.name, arguments: JSON.stringify(block.call.arguments) }
    : { name: "", arguments: block.written };

import { stripWhiteSpace } from "./white-space.js";

/** Returns the text after the last `</think>`, trimmed, or the whole text when there is no such mark. */
export function afterThinking(text: string): string {
  const at = text.lastIndexOf("</think>");
  return at < 0 ? text : stripWhiteSpace(text.slice(at + "</think>".length));
}

/**
 * Returns what follows the last "the answer is", or null when the phrase is missing. Asterisks and DeepSeek's turn
 * marks are removed, white space and full stops trimmed. Source: BytedTsinghua-SIA/MemAgent,
 * taskutils/memory_eval/utils, extract_answer.
 */
export function phraseAnswer(text: string): string | null {
  const phrase = "the answer is";
  const plain = text.replaceAll("*", "");
  const at = plain.lastIndexOf(phrase);
  if (at < 0) return null;
  const answer = plain
    .slice(at + phrase.length)
    .replaceAll("<｜Assistant｜>", "")
    .replaceAll("<｜end▁of▁sentence｜>", "");
  return stripWhiteSpace(stripWhiteSpace(answer).replace(/^\.+|\.+$/g, ""));
}

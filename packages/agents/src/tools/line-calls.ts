import type { ToolCall } from "./tool-calls.js";

/** A call as a line of plain words, for models with little room: a verb, then what it needs. */
export interface LineForm {
  /** The tool that is called. */
  readonly tool: string;
  /** The verb and what follows it, as a prompt lists it: "search WORDS". */
  readonly form: string;
  /**
   * @param rest the line after its verb, trimmed
   * @returns the tool's arguments; what does not fit is the tool's to refuse
   */
  read(rest: string): unknown;
}

/** Calls in the lines of a text. Lines that begin with another word than a form's verb are talk. */
export function parseCallLines(
  text: string,
  forms: readonly LineForm[],
): { calls: ToolCall[]; content: string } {
  const byVerb = new Map(forms.map((form) => [verbOf(form), form]));
  const calls: ToolCall[] = [];
  const talk: string[] = [];
  for (const line of text.split("\n")) {
    const [, verb = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
    const form = byVerb.get(verb);
    if (form === undefined) talk.push(line);
    else calls.push({ name: form.tool, arguments: form.read(rest) });
  }
  return { calls, content: talk.join("\n") };
}

export const verbOf = ({ form }: Pick<LineForm, "form">): string => form.split(" ", 1)[0] ?? "";

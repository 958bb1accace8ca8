import type { ToolCallBlock } from "./tool-calls.js";

/** A call as a line of plain words, for models with little room: a verb, then what it needs. */
export interface LineForm {
  /** The tool that is called. */
  readonly tool: string;
  /** The verb and what follows it, as a prompt lists it: "search WORDS". */
  readonly form: string;
  /**
   * @param rest the line after its verb, trimmed
   * @returns the tool's arguments; what does not fit is the tool's to refuse
   * @throws what the model is told, with the form
   */
  read(rest: string): unknown;
}

/** Calls in the lines of a text, and lines that their form cannot take. Lines that begin with another word than a form's verb are talk. */
export function parseCallLines(
  text: string,
  forms: readonly LineForm[],
): { blocks: ToolCallBlock[]; content: string } {
  const byVerb = new Map(forms.map((form) => [verbOf(form), form]));
  const blocks: ToolCallBlock[] = [];
  const talk: string[] = [];
  for (const line of text.split("\n")) {
    const [, verb = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
    const form = byVerb.get(verb);
    if (form === undefined) talk.push(line);
    else blocks.push(blockOf(form, rest));
  }
  return { blocks, content: talk.join("\n") };
}

/** A form may be read by a user's code, such as JSON.parse: what it throws is the model's mistake. */
function blockOf({ tool, form, read }: LineForm, rest: string): ToolCallBlock {
  try {
    return { call: { name: tool, arguments: read(rest) } };
  } catch (reason) {
    return { error: `write it as "${form}" (${reason instanceof Error ? reason.message : String(reason)})` };
  }
}

export const verbOf = ({ form }: Pick<LineForm, "form">): string => form.split(" ", 1)[0] ?? "";

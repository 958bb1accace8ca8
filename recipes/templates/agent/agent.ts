// An agent of your own: it reads a document a few sentences at a time, keeps a note of what matters, and answers from the
// note. Change what it asks, what it keeps and how often: whatever is asked with `episode.ask` is what the model learns.
import { type AgentTask, defineAgent, type OwnEpisode, z } from "@palimpsest/agents";

/** What a recipe may set under `agent.settings`. */
const settings = z.strictObject({
  sentences: z.int().min(1).default(4).describe("sentences that are read at once"),
  noteTokens: z.int().min(1).default(8).describe("most tokens of a note"),
  answerTokens: z.int().min(1).default(8).describe("most tokens of the answer"),
});
type Settings = z.output<typeof settings>;

export default defineAgent({
  kind: "my-agent",
  description: "reads a few sentences at a time and keeps a note",
  settings,
  // Models with a chat template bring their own.
  stopTokens: ["<|end|>"],

  async run(task, episode, settings) {
    let note = " none";
    for (const section of await sectionsOf(task, settings.sentences)) {
      note = await readSection(task, section, note, episode, settings);
    }
    const prompt = `question: ${task.question}\nmemory:${note}\nanswer:`;
    const reply = await episode.ask(prompt, { maxTokens: settings.answerTokens, kind: "final" });
    return { answer: reply.text, memory: note };
  },
});

/** Shows the model a section and its note, and takes what it replies as the new note. */
async function readSection(
  task: AgentTask,
  section: string,
  note: string,
  episode: OwnEpisode,
  { noteTokens }: Settings,
): Promise<string> {
  const prompt = `question: ${task.question}\nmemory:${note}\nsection:${section}\nnew memory:`;
  const reply = await episode.ask(prompt, { maxTokens: noteTokens });
  // Shown step by step in traces, and scored by the reward beside this file.
  episode.note(reply.text);
  if (reply.text !== note) episode.count("notes_changed");
  return reply.text;
}

/** The document's sentences, so many to a section. Documents may come piece by piece. */
async function sectionsOf(task: AgentTask, sentences: number): Promise<string[]> {
  let document = "";
  for await (const piece of typeof task.document === "string" ? [task.document] : task.document) {
    document += piece;
  }
  const all = document.match(/[^.]+\./g) ?? [];
  const starts = all.map((_, i) => i).filter((i) => i % sentences === 0);
  return starts.map((start) => all.slice(start, start + sentences).join(""));
}

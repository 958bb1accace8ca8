import type { TaskSet } from "@palimpsest/datasets";
import { readDemonstrations } from "../demonstrations/demonstration-file.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { LengthTasks } from "./evaluation.js";

/** Shorter questions occur in demonstrations by chance. */
const shortestQuestion = 12;

/**
 * Returns warnings about questions of the evaluation that the run trains on: an evaluation on them measures what was learned by
 * heart. Only files are compared; generated questions repeat their words over other documents.
 * @param tasks the training questions
 * @param lengths the questions of the evaluation
 * @throws {PalimpsestError} CONFIG_INVALID if the demonstrations cannot be read; the signal's reason
 */
export async function overlapNotices(
  { start }: Pick<Recipe, "start">,
  tasks: TaskSet,
  lengths: readonly LengthTasks[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const trained = { ids: keySet(tasks, "idKeyAt"), questions: keySet(tasks, "questionKeyAt") };
  const demonstrations =
    start === undefined || lengths.length === 0 ? [] : await promptsOf(start.demonstrations, signal);
  const notices: string[] = [];
  for (const [place, { tasks: asked }] of lengths.entries()) {
    if (asked.questionKeyAt === undefined) continue;
    const field = `evaluation.files[${place}]`;
    const count = (keys: ReadonlySet<number>, key: "idKeyAt" | "questionKeyAt") =>
      positions(asked).filter((position) => keys.has(asked[key]?.(position) ?? Number.NaN)).length;
    const [byText, byId] = [count(trained.questions, "questionKeyAt"), count(trained.ids, "idKeyAt")];
    if (byText + byId > 0)
      notices.push(
        `${field}: of its ${asked.count} questions ${byText} are among the training questions by text and ${byId} by id; what is trained on measures no progress, so give it other questions`,
      );
    if (demonstrations.length === 0) continue;
    let shown = 0;
    for (const position of positions(asked)) {
      const question = (await asked.open(position, signal)).question.trim();
      if (question.length >= shortestQuestion && demonstrations.some((text) => text.includes(question)))
        shown += 1;
    }
    if (shown > 0)
      notices.push(
        `${field}: ${shown} of its ${asked.count} questions occur in start.demonstrations; give it other questions`,
      );
  }
  return notices;
}

const positions = ({ count }: TaskSet) => Array.from({ length: count }, (_, position) => position);

function keySet(tasks: TaskSet, key: "idKeyAt" | "questionKeyAt"): ReadonlySet<number> {
  if (tasks[key] === undefined) return new Set();
  const keys = positions(tasks).map((position) => tasks[key]?.(position) ?? Number.NaN);
  return new Set(keys.filter((one) => !Number.isNaN(one)));
}

async function promptsOf(path: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const { demonstrations } = await readDemonstrations(path, signal ?? new AbortController().signal);
  return demonstrations.map(({ prompt }) =>
    typeof prompt === "string" ? prompt : prompt.map(({ content }) => content).join("\n"),
  );
}

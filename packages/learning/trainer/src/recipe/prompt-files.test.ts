import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { withPromptFiles } from "./prompt-files.js";
import { parseRecipe, portableRecipe } from "./recipe.js";

const folder = fileFolder();

/** White space at both ends, two kinds of line ends, a tab and a byte order mark: all of it is the writer's. */
const prompt = "\uFEFF \n{question}\r\n{memory}\t{section} é😀\u2028\nUpdated memory:\n\n ";
writeFileSync(join(folder, "memory.txt"), prompt);

const recipe = (settings: string) => `
name: own-prompts
model: { path: ./base }
agent: { preset: memagent, settings: ${settings} }
data: { source: jsonl, path: tasks.jsonl }
rollout: { maxTokens: 8192 }
learner: { groupSize: 4, buckets: [{ rows: 8, length: 48 }] }
train: { steps: 3 }
`;

test("a prompt from a file is what the file holds, byte for byte, on every machine", () => {
  const text = recipe("{ memoryPrompt: { file: memory.txt } }");
  expect(parseRecipe(text, folder).agent.config).toMatchObject({ memoryPrompt: prompt });
  const portable = portableRecipe(text, folder, "r.yaml");
  expect(parseRecipe(portable, "/elsewhere").agent.config).toMatchObject({ memoryPrompt: prompt });
});

test("files that are not there or are no text are named with their field", () => {
  const missing = recipe("{ memoryPrompt: { file: absent.txt } }");
  expect(() => parseRecipe(missing, folder)).toThrow(
    'agent.settings.memoryPrompt.file: cannot read "absent.txt"',
  );
  writeFileSync(join(folder, "latin.txt"), Buffer.from([0x7b, 0xe9, 0x7d]));
  const latin = recipe("{ memoryPrompt: { file: latin.txt } }");
  expect(() => parseRecipe(latin, folder)).toThrow("UTF-8");
});

test("settings of evaluations may name files at any depth, and other maps are left alone", () => {
  const settings = { systems: { memagent: { settings: { memoryPrompt: { file: "memory.txt" } } } } };
  const kept = { file: "memory.txt", more: 1 };
  expect(withPromptFiles({ ...settings, kept }, folder)).toEqual({
    systems: { memagent: { settings: { memoryPrompt: prompt } } },
    kept,
  });
});

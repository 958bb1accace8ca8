import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRecipe } from "@palimpsest/trainer";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { writeTemplate } from "./template.js";

test.each(["http", "node_modules", "palimpsest", "Foo", "@me/x", "-x", "a b", "x".repeat(64), ""])(
  "a project is not called %s",
  (name) => {
    const folder = join(testFolder(), "new");
    expect(() => writeTemplate("project", name, folder)).toThrow(/^\[INVALID_ARGUMENT\] name is ".*; use /);
    expect(existsSync(folder)).toBe(false);
  },
);

test("what is there stays as it is; an empty folder will do", () => {
  const folder = testFolder();
  writeFileSync(join(folder, "mine"), "");
  expect(() => writeTemplate("agent", "diary", folder)).toThrow(/already exists and has mine; .*--folder/);
  expect(() => writeTemplate("agent", "diary", join(folder, "mine"))).toThrow(
    /mine is not a folder; .*--folder/,
  );
  expect(() => writeTemplate("agent", "diary", join(folder, "mine", "x"))).toThrow(
    /mine.* cannot be written/,
  );
  expect(readdirSync(folder)).toEqual(["mine"]);
  const empty = join(folder, "empty");
  mkdirSync(empty);
  writeTemplate("agent", "diary", empty);
  expect(readdirSync(empty).sort()).toEqual(["AGENTS.md", "agent.ts", "recipe.yaml", "reward.ts"]);
});

test("what a project trains can be asked afterwards", () => {
  const folder = join(testFolder(), "notes");
  writeTemplate("project", "notes", folder);
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    scripts: { train: string };
  };
  expect(scripts.train).toBe("palimpsest dev -- palimpsest train agent/recipe.yaml --run-dir runs/notes");
});

test("a reward comes with a recipe for an agent that is included, and each recipe leads editors to its schema", () => {
  const folder = join(testFolder(), "it's für all");
  writeTemplate("reward", "praise", folder);
  expect(readdirSync(folder).sort()).toEqual(["AGENTS.md", "recipe.yaml", "reward.ts"]);
  const path = join(folder, "recipe.yaml");
  const { recipe } = readRecipe(path);
  expect(recipe).toMatchObject({ name: "praise", agent: { preset: "tiny" } });
  const [, schema = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(path, "utf8")) ?? [];
  expect(existsSync(resolve(dirname(path), decodeURI(schema)))).toBe(true);
  const notes = readFileSync(join(folder, "AGENTS.md"), "utf8");
  const [, skills = ""] = /`([^`]+)\/\*\/SKILL\.md`/.exec(notes) ?? [];
  expect(existsSync(resolve(folder, skills, "train/SKILL.md")), skills).toBe(true);
});

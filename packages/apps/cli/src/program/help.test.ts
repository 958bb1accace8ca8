import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { commands } from "./commands.js";
import { makeProgram } from "./whole-program.js";

const program = await makeProgram(undefined);

function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

it("lists every command under a heading, and no default that is not a value", () => {
  const help = program.helpInformation();
  for (const name of Object.keys(commands)) expect(help).toMatch(new RegExp(`^  ${name}\\b`, "m"));
  expect(help).not.toMatch(/^Commands:/m);
  for (const command of all(program)) expect(command.helpInformation()).not.toMatch(/default: (\[|\{)/);
});

it("completes commands, options and their values in bash", async () => {
  const complete = await completionsOf("bash");
  const after = (...words: string[]) => {
    const typed = ["palimpsest", ...words];
    const line = `COMP_WORDS=(${typed.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${typed.length - 1}; _palimpsest; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", `${complete}\n${line}`], { encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.trim().split("\n");
  };
  expect(after("sta")).toEqual(["status", "stack"]);
  expect(after("job", "s")).toEqual(["submit", "status", "stop"]);
  expect(after("job", "submit", "--fol")).toEqual(["--follow"]);
  expect(after("--address", "x", "job", "st")).toEqual(["status", "stop"]);
  expect(after("head", "start", "--log-format", "")).toEqual(["text", "json"]);
  expect(after("completion", "f")).toEqual(["fish"]);
  expect(after("completion", "install", "z")).toEqual(["zsh"]);
  expect(after("head", "start", "--data-dir", "")).toEqual([""]);
});

it("writes a script for each shell with every command", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const script = await completionsOf(shell);
    for (const name of Object.keys(commands)) expect(script).toContain(name);
  }
  const check = spawnSync("bash", ["-n"], { input: await completionsOf("bash"), encoding: "utf8" });
  expect(check.stderr).toBe("");
});

async function completionsOf(shell: string): Promise<string> {
  const written: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = (text) => written.push(String(text)) > 0;
  try {
    await (await makeProgram("completion")).parseAsync(["node", "palimpsest", "completion", shell]);
  } finally {
    process.stdout.write = write;
  }
  return written.join("");
}

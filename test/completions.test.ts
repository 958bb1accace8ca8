// Completions as a person has them: installed by the command, and tried with the Tab key in real shells, which tmux drives.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "./support/temporary-folder.js";
import { until } from "./support/until.js";

const program = fileURLToPath(new URL("../packages/apps/cli/bin/palimpsest.js", import.meta.url));
const isInstalled = (name: string) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

const shells = { bash: ["bash", "-i"], zsh: ["zsh", "-i"], fish: ["fish", "-i"] } as const;

/** What is typed before the Tab key, and the line that it makes. */
const completions = [
  ["palimpsest job subm", "palimpsest job submit"],
  ["palimpsest job submit --foll", "palimpsest job submit --follow"],
  ["palimpsest head start --log-format te", "palimpsest head start --log-format text"],
  ["palimpsest list placement-gr", "palimpsest list placement-groups"],
] as const;

for (const [shell, command] of Object.entries(shells)) {
  const missing = ["tmux", shell].filter((name) => !isInstalled(name));
  const title = `${shell} completes commands, options and values${missing.length > 0 ? ` (skipped: no ${missing.join(", ")} here)` : ""}`;
  test.skipIf(missing.length > 0)(title, async () => {
    const home = testFolder();
    mkdirSync(join(home, "bin"));
    const link = join(home, "bin/palimpsest");
    writeFileSync(link, `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`);
    chmodSync(link, 0o755);
    const env = {
      HOME: home,
      PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`,
      SHELL: `/bin/${shell}`,
      LC_ALL: "C.UTF-8",
      PALIMPSEST_SETUP: "off",
    };
    const run = (name: string, ...words: string[]) => {
      const { status, stdout, stderr } = spawnSync(name, words, { env, encoding: "utf8" });
      expect({ status, stderr }, `${name} ${words.join(" ")}`).toMatchObject({ status: 0 });
      return stdout;
    };
    const startup = { bash: ".bashrc", zsh: ".zshrc", fish: "" }[shell] ?? "";
    const own = "alias mine=true\n";
    if (startup !== "") writeFileSync(join(home, startup), own);
    const wrote = run("palimpsest", "completion", "install").trim().split("\n");
    const files = wrote.map((line) => line.replace("wrote ", ""));
    for (const file of files) expect(existsSync(file), file).toBe(true);

    const tmux = (...words: string[]) => run("tmux", "-S", join(home, "tmux"), "-f", "/dev/null", ...words);
    // Its server keeps what it inherits, and a pipe would not end.
    spawnSync(
      "tmux",
      [
        "-S",
        join(home, "tmux"),
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-x",
        "150",
        "-y",
        "40",
        "-c",
        home,
        ...command,
      ],
      {
        env,
        stdio: "ignore",
      },
    );
    onTestFinished(() => void spawnSync("tmux", ["-S", join(home, "tmux"), "kill-server"]));
    const screen = () => tmux("capture-pane", "-p");
    // A shell reads its files first; what it echoes before may be lost.
    await until(
      "the shell answers",
      () => {
        tmux("send-keys", "echo rea''dy", "Enter");
        return screen().includes("\nready");
      },
      { everyMs: 500, explain: screen },
    );
    for (const [typed, completed] of completions) {
      tmux("send-keys", "C-u");
      tmux("send-keys", "-l", typed);
      tmux("send-keys", "Tab");
      await until(
        `${typed} becomes ${completed}`,
        () => screen().includes(`${completed} `) || screen().includes(`${completed}\n`),
        {
          everyMs: 100,
          explain: screen,
        },
      );
    }
    const removed = run("palimpsest", "completion", "uninstall");
    expect(removed).toContain(`removed ${files[0]}`);
    if (startup !== "") expect(readFileSync(join(home, startup), "utf8")).toBe(own);
  });
}

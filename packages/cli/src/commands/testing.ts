import { Command } from "commander";

const streams = ["stdout", "stderr"] as const;

/** Commands as tests run them: in this process, with what they write kept and not shown. */
export class CommandRun {
  /** What the last command wrote. */
  stdout = "";
  stderr = "";
  readonly #add: readonly ((program: Command) => void)[];
  readonly #writes = { stdout: process.stdout.write, stderr: process.stderr.write };

  /** @param add puts commands under a program */
  constructor(...add: ((program: Command) => void)[]) {
    this.#add = add;
  }

  /** For `beforeEach`: from here on nothing reaches the terminal. */
  begin(): void {
    process.exitCode = undefined;
    for (const stream of streams) {
      process[stream].write = (text: string | Uint8Array) => {
        this[stream] += typeof text === "string" ? text : Buffer.from(text).toString();
        return true;
      };
    }
  }

  /** For `afterEach`: everything is as it was. */
  end(): void {
    process.exitCode = undefined;
    for (const stream of streams) process[stream].write = this.#writes[stream];
  }

  /** @returns standard output. @throws what the command throws; CommanderError where the words are wrong */
  async run(...words: string[]): Promise<string> {
    this.stdout = "";
    this.stderr = "";
    process.exitCode = undefined;
    const program = new Command("palimpsest");
    for (const add of this.#add) add(program);
    strict(program);
    await program.parseAsync(words, { from: "user" });
    return this.stdout;
  }
}

/** Wrong words throw, at every depth, in place of ending the process. */
function strict(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  for (const each of command.commands) strict(each);
}

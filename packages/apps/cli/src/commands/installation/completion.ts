import { Argument, type Command, type Option } from "commander";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

export function addCompletion(program: Command): void {
  program
    .command("completion")
    .description("prints a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>", "the shell").choices([...shells]))
    .addHelpText(
      "after",
      [
        "",
        "bash:  source <(palimpsest completion bash)   in ~/.bashrc",
        "zsh:   source <(palimpsest completion zsh)    in ~/.zshrc, after compinit",
        "fish:  palimpsest completion fish | source    in ~/.config/fish/config.fish",
      ].join("\n"),
    )
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, tableOf(program)));
    });
}

/** What may follow a command, by the command's words without the program's name. */
interface Row {
  readonly path: string;
  readonly commands: readonly string[];
  /** Options, and the values that they take: undefined if none, empty if any. */
  readonly options: readonly { readonly flag: string; readonly values: readonly string[] | undefined }[];
  /** The words that the first argument may be. */
  readonly choices: readonly string[];
}

function tableOf(command: Command, path = ""): Row[] {
  const own: Row = {
    path,
    commands: command.commands.map((child) => child.name()),
    options: [...command.options.flatMap(flagsOf), { flag: "--help", values: undefined }],
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  const below = command.commands.flatMap((child) => tableOf(child, `${path} ${child.name()}`.trim()));
  return [own, ...below];
}

function flagsOf(option: Option): Row["options"] {
  const flag = option.long ?? option.short;
  if (flag === undefined) return [];
  return [{ flag, values: option.required || option.optional ? (option.argChoices ?? []) : undefined }];
}

/** Writes the table as a case of a shell, by a line for each command. */
function lookUp(rows: readonly Row[]): string {
  const cases = rows.flatMap(({ path, commands, options, choices }) => [
    `    "${path}") words="${[...commands, ...choices, ...options.map(({ flag }) => flag)].join(" ")}"`,
    `      taking="${options.flatMap(({ flag, values }) => (values ? [flag] : [])).join(" ")}" ;;`,
  ]);
  const values = rows.flatMap(({ path, options }) =>
    options.flatMap(({ flag, values: of }) =>
      of && of.length > 0 ? [`    "${path} ${flag}") words="${of.join(" ")}" ;;`] : [],
    ),
  );
  return [
    '  case "$command" in',
    ...cases,
    "  esac",
    '  case " $taking " in *" $before "*)',
    '    words=""',
    '    case "$command $before" in',
    ...values.map((line) => `  ${line}`),
    "    esac ;;",
    "  esac",
  ].join("\n");
}

function completionScript(shell: Shell, rows: readonly Row[]): string {
  if (shell === "fish") return fishScript(rows);
  const commands = rows.map(({ path }) => path).filter((path) => path !== "");
  const bash = `_palimpsest() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" words="" taking="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
${commands.map((path) => `      "${path.includes(" ") ? path : ` ${path}`}") command="${path}" ;;`).join("\n")}
    esac
  done
${lookUp(rows)}
  COMPREPLY=()
  if [ -n "$words" ]; then COMPREPLY=( $(compgen -W "$words" -- "$current") ); fi
}
complete -o default -o bashdefault -F _palimpsest palimpsest
`;
  return shell === "bash" ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

function fishScript(rows: readonly Row[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = rows.flatMap(({ path, commands, options, choices }) => {
    const when = `-n ${quoted(`test (__palimpsest_command) = "${path}"`)}`;
    const words = [...commands, ...choices];
    return [
      ...(words.length > 0 ? [`complete -c palimpsest ${when} -f -a ${quoted(words.join(" "))}`] : []),
      ...options.map(({ flag, values }) => {
        const of =
          values === undefined ? "" : values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : " -r";
        return `complete -c palimpsest ${when} ${flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`}${of}`;
      }),
    ];
  });
  const known = rows.map(({ path }) => path).filter((path) => path !== "");
  return `function __palimpsest_command
  set -l command ""
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$command $word")
    if contains -- $next ${known.map(quoted).join(" ")}
      set command $next
    end
  end
  echo $command
end
${lines.join("\n")}
`;
}

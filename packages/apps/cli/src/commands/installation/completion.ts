import { Argument, type Command, type Option } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import {
  installCompletion,
  ownShell,
  type Shell,
  shells,
  uninstallCompletion,
} from "../../installation/completion-files.js";

const output = new JsonOutput(() =>
  z.strictObject({
    shell: z.enum(shells),
    wrote: z.array(z.string()).describe("files that were written or changed"),
    removed: z.array(z.string()).describe("files that were removed"),
  }),
);

export function addCompletion(program: Command): void {
  const completion = program
    .command("completion")
    .description(
      "prints a script that completes commands, options and their values in your shell, or installs it",
    )
    .addArgument(new Argument("<shell>", shells.join(", ")).choices([...shells]))
    .addHelpText(
      "after",
      '\nAfter an upgrade install it again. It knows commands and options, not names of a cluster. Shells complete\nthe program palimpsest, not `npx palimpsest`: install it with `npm install --global`, or write\n`alias palimpsest="npx palimpsest"` into the file of your shell.',
    )
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, tableOf(program)));
    });
  const shellArgument = () =>
    new Argument("[shell]", "the shell; default: that of SHELL").choices([...shells]);
  completion
    .command("install")
    .description("writes the script into a file of yours, and has new shells read it")
    .addArgument(shellArgument())
    .addOption(output.option())
    .action((given: Shell | undefined, { json = false }: { readonly json?: boolean }) => {
      const shell = given ?? ownShell(process.env);
      const wrote = installCompletion(shell, completionScript(shell, tableOf(program)), process.env);
      if (json) return output.print({ shell, wrote, removed: [] });
      for (const path of wrote) process.stdout.write(`wrote ${path}\n`);
      process.stderr.write(
        `new shells complete palimpsest, not \`npx palimpsest\` (an alias palimpsest="npx palimpsest" will do); \`palimpsest completion uninstall ${shell}\` undoes it\n`,
      );
    });
  completion
    .command("uninstall")
    .description("undoes what `install` did")
    .addArgument(shellArgument())
    .addOption(output.option())
    .action((given: Shell | undefined, { json = false }: { readonly json?: boolean }) => {
      const shell = given ?? ownShell(process.env);
      const { wrote, removed } = uninstallCompletion(shell, process.env);
      if (json) return output.print({ shell, wrote, removed });
      for (const path of removed) process.stdout.write(`removed ${path}\n`);
      for (const path of wrote) process.stdout.write(`wrote ${path}, without the line of \`install\`\n`);
      if (removed.length + wrote.length === 0) process.stderr.write(`nothing is installed for ${shell}\n`);
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
    options: [
      ...command.options.filter(({ hidden }) => !hidden).flatMap(flagsOf),
      { flag: "--help", values: undefined },
    ],
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
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
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
  // compinit is needed first, which not every user's file calls.
  const zsh =
    "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }\nautoload -Uz bashcompinit && bashcompinit\n";
  return shell === "bash" ? bash : `${zsh}${bash}`;
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

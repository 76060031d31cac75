/** Scripts that complete the operator's commands in a shell. */

export const SHELLS = ["bash", "zsh"] as const;
type Shell = (typeof SHELLS)[number];

/** A command with what may follow it. */
interface Described {
  readonly name: () => string;
  readonly commands: readonly Described[];
  readonly options: readonly DescribedOption[];
  readonly registeredArguments: readonly { readonly argChoices?: readonly string[] | undefined }[];
}

interface DescribedOption {
  readonly long?: string | undefined;
  readonly argChoices?: readonly string[] | undefined;
  /** Whether a value follows. */
  readonly required: boolean;
}

/**
 * The script defines a function `ops`, which runs the tool from any folder, and completes its commands,
 * options and those values that are a choice.
 * @param root the repository's folder
 */
export function completionScript(shell: Shell, program: Described, root: string): string {
  const call = `ops() { npm --prefix ${quoted(root)} run --silent ops -- "$@"; }`;
  return [call, takesFunction(program), wordsFunction(program), WALK, WIRING[shell]].join("\n\n");
}

/** Prints what may follow a path of commands, or the choices of its last option. */
function wordsFunction(program: Described): string {
  const globals = longOf(program);
  const paths: readonly [string, Described][] = [["", program], ...pathsOf(program, "")];
  const rows = paths.flatMap(([path, command]) => [
    row(path, [...namesOf(command), ...longOf(command), ...globals]),
    ...valued(command).map(({ long = "", argChoices = [] }) => row(`${path}${long}`, argChoices)),
  ]);
  return ["_ops_words() {", '  case "$1" in', ...rows, "  esac", "}"].join("\n");
}

/** Names of commands, or the choices of an argument. */
function namesOf({ commands, registeredArguments }: Described): string[] {
  const choices = registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return [...commands.map((one) => one.name()), ...choices];
}

function row(path: string, words: readonly string[]): string {
  const printed = [...new Set(words)].map(quoted).join(" ");
  return `    ${quoted(path)}) printf '%s\\n' ${printed} ;;`;
}

/** Succeeds for an option whose value follows. */
function takesFunction(program: Described): string {
  const options = pathsOf(program, "").flatMap(([, command]) => valued(command));
  const names = new Set(options.map(({ long = "" }) => long));
  return `_ops_takes() {\n  case "$1" in ${[...names].join(" | ")}) ;; *) return 1 ;; esac\n}`;
}

function valued({ options }: Described): DescribedOption[] {
  return options.filter(({ required }) => required);
}

/** Every command below, with its path: each name with a blank behind it. */
function pathsOf(command: Described, before: string): [string, Described][] {
  return command.commands.flatMap((one): [string, Described][] => {
    const path = `${before}${one.name()} `;
    return [[path, one], ...pathsOf(one, path)];
  });
}

function longOf({ options }: Described): string[] {
  return [...options.flatMap(({ long }) => long ?? []), "--help"];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The path is every word before the cursor that is neither an option nor its value. */
const WALK = `_ops_follow() {
  local at='' option='' word
  for word in "$@"; do
    if [ -n "$option" ]; then option=''
    elif _ops_takes "$word"; then option="$word"
    else
      case "$word" in
        -*) ;;
        *) at="$at$word " ;;
      esac
    fi
  done
  _ops_words "$at$option"
}`;

const WIRING: Readonly<Record<Shell, string>> = {
  bash: `_ops_complete() {
  local words
  words="$(_ops_follow "\${COMP_WORDS[@]:1:COMP_CWORD-1}")"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _ops_complete ops`,
  zsh: `_ops_complete() {
  local -a found
  found=("\${(@f)$(_ops_follow "\${(@)words[2,CURRENT-1]}")}")
  compadd -a found
}
autoload -Uz compinit && compinit
compdef _ops_complete ops`,
};

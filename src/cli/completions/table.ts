import { agentNames } from '../../protocol/index.ts';
import { type CommandDefinition, commandDefinitions, type OptionDefinition } from '../definitions.ts';

/** What a shell may offer in one place of a command line. */
export interface Offer {
  readonly words: readonly string[];
  readonly files?: true;
  readonly folders?: true;
  /** The ids and names of the loops, looked up when they are needed. */
  readonly ids?: true;
}

/** A flag as it is typed. */
export interface CompletedFlag {
  /** Its long form and, if there is one, its short form. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Missing for a switch. */
  readonly value?: Offer;
}

/** A command and what may follow it. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  /** What each argument may be. */
  readonly args: readonly Offer[];
}

/** Every command as shells complete it; `settings` are the keys that `config explain` takes. */
export function completionTable(settings: readonly string[]): readonly CompletedCommand[] {
  return commandDefinitions.map((command) => ({
    name: command.name,
    summary: firstSentence(command.summary),
    flags: [...command.options.map(flagOf), { names: ['--help', '-h'], summary: 'Show the help' }],
    args: command.args.map((arg, index) => offerOfArgument(command, arg.replace(/[[\]]/g, ''), { index, settings })),
  }));
}

function flagOf({ name, short, summary, value, setting }: OptionDefinition): CompletedFlag {
  const names = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
  const offer = setting === 'agent' ? { words: agentNames } : offerOf(value);
  return { names, summary: firstSentence(summary), ...(offer === undefined ? {} : { value: offer }) };
}

function offerOfArgument(
  { words = [] }: CommandDefinition,
  arg: string,
  { index, settings }: { readonly index: number; readonly settings: readonly string[] },
): Offer {
  if (index === 0 && words.length > 0) return { words };
  if (arg === 'AGENT') return { words: agentNames };
  if (arg === 'KEY') return { words: settings };
  return offerOf(arg) ?? { words: [] };
}

/** A placeholder such as `ID|verify`: what is not in capital letters is typed as it is. */
function offerOf(placeholder: string | undefined): Offer | undefined {
  if (placeholder === undefined) return undefined;
  const parts = placeholder.split('|');
  return {
    words: parts.filter((part) => /^[a-z][a-z0-9-]+$/u.test(part)),
    ...(parts.includes('FILE') ? { files: true } : {}),
    ...(parts.includes('DIR') ? { folders: true } : {}),
    ...(parts.includes('ID') ? { ids: true } : {}),
  };
}

/** Short enough for a menu, and without what a shell would interpret. */
function firstSentence(text: string): string {
  const [first = text] = text.replace(/ \([^)]*\)/gu, '').split(/(?<=[\w"])[.;:](?= |$)/u);
  return first.replaceAll("'", '’').replace(/["`$\\[\]]/gu, '');
}

/** The names of the flags that take a value. */
export function valuedNames(flags: readonly CompletedFlag[]): readonly string[] {
  return flags.flatMap(({ names, value }) => (value === undefined ? [] : names));
}

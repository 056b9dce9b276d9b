/** One option of a command, as data: parsing, help and the reference page are derived from it. */
export interface OptionDefinition {
  /** Long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder for the value in the help; an option without one is a switch. */
  readonly value?: string;
  /** Whether the value may be left out: then it is given only as `--name=VALUE`. */
  readonly optionalValue?: boolean;
  readonly repeatable?: boolean;
  /** The values have the form NAME=VALUE and are merged into one mapping. */
  readonly pairs?: boolean;
  /** The values are short forms of notification channels. */
  readonly channels?: boolean;
  readonly summary: string;
  /** The path of the setting that it sets. */
  readonly setting?: string;
  /** The value that a switch sets; `true` by default. */
  readonly sets?: boolean | string | null;
}

/** One command of the command line. */
export interface CommandDefinition {
  readonly name: string;
  /** The command that this is another name of; the list of commands leaves it out. */
  readonly aliasOf?: string;
  readonly summary: string;
  /** Positional arguments as shown in the help; those in brackets are optional. */
  readonly args: readonly string[];
  /** The words that the first argument may be, where they are fixed. */
  readonly words?: readonly string[];
  readonly options: readonly OptionDefinition[];
  /** An example command line for the help. */
  readonly example: string;
  /** Whether arguments after `--` are passed on to the agent. */
  readonly passesOn?: boolean;
}

/** One command that a loop accepts. */
interface CommandRow {
  /** Who may send it; commands from a signal or from the driver itself are not offered to users. */
  readonly from: 'anyone' | 'signal' | 'driver';
  /** The argument it takes. */
  readonly takes?: 'now' | 'guidance' | 'number' | 'text' | 'signal' | 'prompt' | 'mode' | 'note' | 'breakpoint';
  /** The command of the command line that it is an option of; without it, it is a command there itself. */
  readonly optionOf?: 'guide';
  /** It pauses or ends the loop; a paused loop carries out the others when it is resumed. */
  readonly rests?: true;
  /** The verb before "loop ID" in a refusal, where the name of the command does not fit. */
  readonly action?: string;
  /** What it does, for the help. */
  readonly help: string;
  /** What the loop does once it has accepted it; follows the loop's name. */
  readonly effect: string;
}

/** Every command: facts, the inbox, the command line and what a loop allows follow from this table. */
export const commandTable = {
  pause: {
    from: 'anyone',
    takes: 'now',
    rests: true,
    help: 'Pause a loop after the current iteration.',
    effect: 'will pause after the current iteration',
  },
  resume: {
    from: 'anyone',
    help: 'Resume a loop that is paused or whose process died.',
    effect: 'continues',
  },
  stop: {
    from: 'anyone',
    rests: true,
    help: 'End a loop permanently and let its agent shut down cleanly.',
    effect: 'is shutting down its agent and will then end permanently',
  },
  abort: {
    from: 'anyone',
    rests: true,
    help: 'End a loop permanently and immediately.',
    effect: 'is being ended permanently',
  },
  continue: {
    from: 'anyone',
    takes: 'prompt',
    help: 'Approve what a loop asks about: its next iteration, or that it is done.',
    effect: 'continues',
  },
  skip: {
    from: 'anyone',
    action: 'skip an iteration of',
    help: 'Abandon the current iteration, or the one that a loop asks about, and start the next one.',
    effect: 'abandons the current iteration and starts the next one',
  },
  reboot: {
    from: 'anyone',
    action: 'reboot the agent of',
    help: 'Start a new agent session before the next iteration.',
    effect: 'will start a new agent session before the next iteration',
  },
  retry: {
    from: 'anyone',
    help: 'Retry now instead of waiting for a provider limit to reset.',
    effect: 'stops waiting',
  },
  guide: {
    from: 'anyone',
    takes: 'guidance',
    help: 'Give the agent guidance: it is part of every prompt until you drop it.',
    effect: 'will add the guidance to every prompt from the next one on',
  },
  mode: {
    from: 'anyone',
    takes: 'mode',
    action: 'switch the mode of',
    help: 'Switch a loop between the modes unattended, attended and hybrid.',
    effect: 'will switch its mode',
  },
  note: {
    from: 'anyone',
    takes: 'note',
    action: 'add a note to',
    help: 'Write a note about a loop, for people; the agent does not see it.',
    effect: 'keeps the note',
  },
  breakpoint: {
    from: 'anyone',
    takes: 'breakpoint',
    action: 'change the breakpoints of',
    help: 'Let a loop ask before an iteration, after a test regression or before completion.',
    effect: 'has other breakpoints now',
  },
  rollback: {
    from: 'anyone',
    action: 'undo the last iteration of',
    help: 'Undo what the last iteration changed, while a loop asks; the current files are backed up first.',
    effect: 'undoes what the last iteration changed',
  },
  drop: {
    from: 'anyone',
    takes: 'number',
    optionOf: 'guide',
    action: 'drop guidance of',
    help: 'Drop guidance.',
    effect: 'will drop the guidance from the next prompt on',
  },
  interrupt: {
    from: 'signal',
    takes: 'signal',
    rests: true,
    help: 'Pause because the process that runs the loop was interrupted.',
    effect: 'is pausing',
  },
  suspend: {
    from: 'driver',
    takes: 'text',
    rests: true,
    help: 'Pause because the state cannot be written.',
    effect: 'is pausing',
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

type Table = typeof commandTable;

/** The name of a command. */
export type CommandName = keyof Table;

/** A command that anyone may send. */
export type OfferedCommand = {
  [Name in CommandName]: Table[Name]['from'] extends 'anyone' ? Name : never;
}[CommandName];

/** The names of all commands. */
export const commandNames = Object.keys(commandTable) as readonly CommandName[];

/** The commands that anyone may send, in the order of the help. */
export const offeredCommands = commandNames.filter(
  (name): name is OfferedCommand => commandTable[name].from === 'anyone',
);

/** The argument that a command takes. */
export function argumentOf(name: CommandName): CommandRow['takes'] {
  const { takes }: CommandRow = commandTable[name];
  return takes;
}

/** The verb of a command in front of "loop ID". */
export function actionOf(name: CommandName): string {
  const { action }: CommandRow = commandTable[name];
  return action ?? name;
}

/** Whether a command is an option of another one on the command line. */
export function isOption(name: CommandName): boolean {
  const { optionOf }: CommandRow = commandTable[name];
  return optionOf !== undefined;
}

/** Whether a command pauses or ends the loop. */
export function restsLoop(name: CommandName): boolean {
  const { rests }: CommandRow = commandTable[name];
  return rests === true;
}

/** Where a command came from: a terminal, the page in a browser, a program, a signal to the owner, or the owner itself. */
export type SenderFace = 'cli' | 'page' | 'library' | 'signal' | 'driver';

/** All of them. */
export const senderFaces = ['cli', 'page', 'library', 'signal', 'driver'] as const satisfies readonly SenderFace[];

/** The maximum length of a sender's user or host. */
export const maxSenderName = 100;

/** The maximum length of one piece of guidance. */
export const maxGuidanceLength = 20_000;

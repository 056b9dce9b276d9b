import { type DrivenLoop, inspectIteration, openShell, showConfig } from '../app/index.ts';
import { failures, LoopError } from '../base/index.ts';
import { valueAt } from '../config/index.ts';
import type { Loop, LoopOrder } from '../core/index.ts';
import { defaultConfig, encodeConfig, listSettings, modes, type NoteKind, noteKinds } from '../protocol/index.ts';
import type { QuestionCommands } from './live/attend.ts';
import { row } from './output/fact-lines.ts';
import { printLines } from './output/fit-lines.ts';
import { paintFor } from './output/paint.ts';
import { patchLines } from './output/patch-lines.ts';
import { oneLine, widthOf, wrapLine } from './output/plain.ts';
import { parseCommandLine } from './parse.ts';
import { appContext, type Surroundings } from './surroundings.ts';
import { breakpointForm, readBreakpoint } from './words/breakpoints.ts';

/** What a person at the question can type, with its arguments and what it does. */
const typedCommands = {
  status: { args: '', help: 'what the loop is doing and how close each stop rule is' },
  logs: { args: '[N]', help: 'what the agent wrote and did in the last iteration, or in iteration N' },
  tests: { args: '', help: 'the test results' },
  metrics: { args: '', help: 'iterations, time, tokens, cost and failures so far' },
  diff: { args: '[FILE]', help: 'the lines that the last iteration changed' },
  config: { args: '', help: 'the settings of the loop that are not the default' },
  note: { args: '[KIND] TEXT', help: `write a note for people: ${noteKinds.join(', ')}` },
  break: { args: 'WHERE', help: `set a breakpoint: ${breakpointForm}` },
  unbreak: { args: 'WHERE', help: 'remove a breakpoint' },
  mode: { args: 'MODE', help: `switch to ${modes.join(', ')}` },
  shell: { args: '', help: 'open your shell in the work tree; the loop waits, and what you change there is yours' },
  rollback: { args: '', help: 'undo what the last iteration changed, after a backup' },
  help: { args: '', help: 'this list' },
} as const;

type Typed = keyof typeof typedCommands;

/** What the commands work on. */
export interface CommandSetting {
  readonly driven: DrivenLoop;
  readonly surroundings: Surroundings;
}

/** Creates the commands that a person can type while a loop asks. */
export function createQuestionCommands({ driven, surroundings }: CommandSetting): QuestionCommands {
  const { stderr } = surroundings;
  const print = (lines: readonly string[]) => printLines(stderr, lines.map(driven.redactor.redact));
  return {
    help: () => helpLines(widthOf(stderr)),
    async run(line, { send, confirm }) {
      const [word = '', ...args] = line.trim().split(/\s+/u);
      const rest = args.join(' ');
      const { loop } = driven.drive;
      switch (nameOf(word)) {
        case 'help':
          return print(helpLines(widthOf(stderr)));
        case 'status':
          return await runReadOnly(['status', loop.id], { driven, surroundings });
        case 'metrics':
          return await runReadOnly(['stats', loop.id], { driven, surroundings });
        case 'logs':
          return await runReadOnly(['logs', loop.id, ...args.slice(0, 1)], { driven, surroundings });
        case 'tests':
          return print(testLines(loop));
        case 'config':
          return print(configLines(loop, surroundings.env));
        case 'diff':
          return print(await diffLines(rest, { driven, surroundings }));
        case 'shell':
          print(['  You are in the work tree. "exit" or Ctrl-D brings you back to the question.']);
          await openShell(loop, appContext(surroundings));
          return undefined;
        case 'rollback':
          if (await confirm('Undo what the last iteration changed? Your current files are backed up first. y/n '))
            await send({ command: 'rollback' });
          return undefined;
        case 'note':
        case 'break':
        case 'unbreak':
        case 'mode':
          return await send(orderFrom(word, args));
      }
    },
  };
}

function nameOf(word: string): Typed {
  const name = (Object.keys(typedCommands) as Typed[]).find((each) => each === word);
  if (name !== undefined) return name;
  throw new LoopError(failures.badValue('The command', `one of ${Object.keys(typedCommands).join(', ')}`, `"${word}"`));
}

/** The order that a typed command means. */
function orderFrom(word: string, args: readonly string[]): LoopOrder {
  const [first = ''] = args;
  if (word === 'note') return noteFrom(first, args);
  if (word === 'mode') {
    const mode = modes.find((each) => each === first);
    if (mode !== undefined) return { command: 'mode', mode };
    throw new LoopError(failures.badValue('MODE', `one of ${modes.join(', ')}`, `"${first}"`));
  }
  const breakpoint = readBreakpoint(first);
  if (breakpoint === undefined) throw new LoopError(failures.badValue('WHERE', breakpointForm, `"${first}"`));
  return { command: 'breakpoint', breakpoint, ...(word === 'unbreak' ? { remove: true } : {}) };
}

/** The first word is the kind if it is one; otherwise the note is an observation. */
function noteFrom(first: string, args: readonly string[]): LoopOrder {
  const kind = noteKinds.find((each) => each === first);
  const text = (kind === undefined ? args : args.slice(1)).join(' ');
  return { command: 'note', kind: kind ?? ('observation' satisfies NoteKind), text };
}

const [usageColumns, minHelpColumns] = [20, 40];

/** Each command with what it does: beside it, or below it on a narrow terminal. */
function helpLines(width: number): readonly string[] {
  const indent = width - usageColumns >= minHelpColumns ? usageColumns : 4;
  return Object.entries(typedCommands).flatMap(([name, { args, help }]) => {
    const usage = `  ${name} ${args}`.trimEnd();
    const [first = '', ...more] = wrapLine(help, width - indent).map((line) => `${' '.repeat(indent)}${line}`);
    return usage.length < indent ? [`${usage.padEnd(indent)}${first.slice(indent)}`, ...more] : [usage, first, ...more];
  });
}

type ReadOnly = 'status' | 'stats' | 'logs';

const handlers = {
  status: async () => (await import('./commands/status.ts')).statusCommand,
  stats: async () => (await import('./commands/stats.ts')).statsCommand,
  logs: async () => (await import('./commands/logs.ts')).logsCommand,
} as const;

/** Runs a command of the command line that only reads, on the same loop. */
async function runReadOnly(
  [name, ...args]: readonly [ReadOnly, ...string[]],
  { driven, surroundings }: CommandSetting,
): Promise<void> {
  const request = parseCommandLine([name, ...args, '--state-dir', driven.place.root]);
  if (request.kind !== 'invoke') return;
  const handle = await handlers[name]();
  await handle(request.invocation, surroundings);
}

function testLines({ tests: { latest } }: Loop): readonly string[] {
  if (latest === undefined) return ['  No tests have been counted yet.'];
  const { passed, total, failed, skipped, framework } = latest;
  return [row('tests', `${passed} of ${total} pass, ${failed} fail, ${skipped} skipped (${oneLine(framework)})`)];
}

function configLines({ config }: Loop, env: NodeJS.ProcessEnv): readonly string[] {
  const [shown, usual] = [showConfig(config, env), encodeConfig(defaultConfig())];
  return listSettings().flatMap(({ path }) => {
    const [text, usualText] = [shown, usual].map((from) => JSON.stringify(valueAt(from, path.split('.'))));
    return text === undefined || text === usualText ? [] : [`  ${path}: ${oneLine(text, 200)}`];
  });
}

async function diffLines(file: string, { driven, surroundings }: CommandSetting): Promise<readonly string[]> {
  const { drive, place } = driven;
  if (drive.loop.position.iteration === 0) return ['  Nothing has run yet.'];
  const request = { iteration: undefined, withPatch: true };
  const { changes } = await inspectIteration(place, drive.loop.id, { context: appContext(surroundings), request });
  if (!changes?.patch) return ['  No changed lines are known.'];
  const { text, isWhole } = changes.patch;
  const wanted = file === '' ? text : patchOf(text, file);
  if (wanted === '') return [`  The last iteration did not change ${oneLine(file)}.`];
  const { stderr } = surroundings;
  return patchLines({ text: wanted, isWhole }, { paint: paintFor(stderr), width: widthOf(stderr) });
}

/** The part of a patch that is about one file. */
function patchOf(patch: string, file: string): string {
  const parts = patch.split(/^(?=diff --git )/mu);
  return parts.filter((part) => part.startsWith(`diff --git a/${file} b/${file}\n`)).join('');
}

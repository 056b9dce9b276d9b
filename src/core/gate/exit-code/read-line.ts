import { parseShell } from '../shell/line.ts';
import type { Command, Script, SimpleCommand } from '../shell/tree.ts';
import { baseName, type Rank, rankOf } from './rank.ts';
import { isAttempt, type NestedShell, type ReadCommand, type ReadLine } from './trial.ts';

const maxNesting = 4;

interface Place {
  readonly ancestors: readonly object[];
  readonly isGuard: boolean;
  readonly isBackground: boolean;
  readonly depth: number;
}

interface Reading {
  readonly commands: ReadCommand[];
  readonly nested: Map<SimpleCommand, NestedShell>;
}

/** Parses a line and the lines of the shells that it starts, and ranks its commands. */
export function readLine(source: string): ReadLine {
  const { script } = parseShell(source);
  const reading: Reading = { commands: [], nested: new Map() };
  walkScript(script, { ancestors: [], isGuard: false, isBackground: false, depth: 0 }, reading);
  return { source, script, ...reading };
}

function walkScript(script: Script, place: Place, reading: Reading): void {
  const inside = { ...place, ancestors: [...place.ancestors, script] };
  for (const item of script.items) {
    const isBackground = place.isBackground || item.isBackground;
    const pipelines = [item.first, ...item.rest.map(({ pipeline }) => pipeline)];
    const found: ReadCommand[][] = [];
    // From the right: a command is a guard when real work depends on it.
    for (const pipeline of pipelines.toReversed()) {
      const isGuard = place.isGuard || found.flat().some(({ rank }) => rank === 'work' || rank === 'test');
      const ancestors = [...inside.ancestors, item, pipeline];
      const own: Reading = { commands: [], nested: reading.nested };
      for (const stage of pipeline.stages) walkCommand(stage, { ...inside, ancestors, isGuard, isBackground }, own);
      found.unshift(own.commands);
    }
    for (const command of found.flat()) reading.commands.push(command);
  }
}

function walkCommand(command: Command, place: Place, reading: Reading): void {
  const inside = { ...place, ancestors: [...place.ancestors, command] };
  switch (command.kind) {
    case 'simple':
      return walkSimple(command, inside, reading);
    case 'group':
      return walkScript(command.body, inside, reading);
    case 'if':
      for (const { condition, body } of command.branches) {
        walkScript(condition, { ...inside, isGuard: true }, reading);
        walkScript(body, inside, reading);
      }
      if (command.otherwise !== undefined) walkScript(command.otherwise, inside, reading);
      return;
    case 'loop':
      if (command.condition !== undefined) walkScript(command.condition, { ...inside, isGuard: true }, reading);
      return walkScript(command.body, inside, reading);
    case 'case':
      for (const body of command.bodies) walkScript(body, inside, reading);
      return;
    case 'function':
      return walkCommand(command.body, inside, reading);
    case 'arithmetic':
      return;
  }
}

function walkSimple(command: SimpleCommand, place: Place, reading: Reading): void {
  for (const word of [...command.assignments, ...command.words]) {
    for (const script of word.substitutions) walkScript(script, place, reading);
  }
  const shell = place.depth < maxNesting ? nestedShell(command) : undefined;
  if (shell !== undefined) {
    reading.nested.set(command, shell);
    return walkScript(shell.script, { ...place, depth: place.depth + 1 }, reading);
  }
  const { ancestors, isGuard, isBackground } = place;
  const rank = rankOf(command.words.map(({ text }) => text));
  reading.commands.push({ command, rank, ancestors, isGuard, isBackground });
}

const shells = /^(?:sh|bash|dash|zsh|ksh|ash)$/;

/** `sh -c LINE`, also after `env`, `timeout` or `docker run`. */
function nestedShell({ words }: SimpleCommand): NestedShell | undefined {
  const at = words.findIndex(({ text }) => shells.test(baseName(text)));
  const program = words[at];
  if (program === undefined) return undefined;
  const flag = words.findIndex(({ text }, index) => index > at && /^-[a-zA-Z]*c$/.test(text));
  const between = words
    .slice(at + 1, flag)
    .every(({ text }) => /^[-+]|^(?:pipefail|errexit|nounset|xtrace)$/.test(text));
  const word = words[flag + 1];
  if (flag === -1 || !between || word === undefined || word.substitutions.length > 0) return undefined;
  const options = words.slice(at + 1, flag + 1).map(({ text }) => text);
  return {
    source: word.text,
    script: parseShell(word.text).script,
    program,
    word,
    stopsOnError: options.some((text) => /^-[a-zA-Z]*e/.test(text) || text === 'errexit'),
    pipefail: options.includes('pipefail'),
  };
}

const maxTests = 8;

/** The commands that should decide the exit code of a line. */
export function testCommands({ commands }: ReadLine): readonly ReadCommand[] {
  const of = (rank: Rank, matches: (each: ReadCommand) => boolean) =>
    commands.filter((each) => each.rank === rank && matches(each));
  const tests = of('test', () => true);
  if (tests.length > 0) return tests.slice(-maxTests);
  const judges = of('judge', ({ isGuard }) => !isGuard);
  if (judges.length > 0) return judges.slice(-maxTests);
  const works = of('work', ({ isBackground }) => !isBackground);
  const others = works.length > 0 ? works : commands.filter(({ rank }) => isAttempt(rank) || rank === 'aside');
  return others.slice(-1);
}

import { argumentOf, commandTable, noteKinds, type OfferedCommand } from '../protocol/index.ts';
import type { CommandDefinition, OptionDefinition } from './definition.ts';
import { everywhere } from './options.ts';

/** Arguments for the examples of commands that take a loop; the others get its name alone. */
const examplesOnLoop: Readonly<Record<string, string>> = {
  resume: 'fix-tests -n 40',
  explain: 'fix-tests --history',
  report: '--markdown --out report.md',
  events: '--follow --type "iteration.*"',
  pause: 'fix-tests --now',
  stats: '--since 7d --csv',
  export: 'fix-tests --to tachikoma',
  backup: '--dry-run',
  recover: 'fix-tests --dry-run',
};

/** A command that takes a loop. */
export const onLoop = (
  name: string,
  summary: string,
  options: readonly OptionDefinition[] = [],
): CommandDefinition => ({
  name,
  summary,
  args: ['[ID]'],
  options: [...options, ...everywhere],
  example: `ralphd ${name} ${examplesOnLoop[name] ?? 'fix-tests'}`,
});

/** A command that controls a loop, as the protocol's table has it. */
export function controlDefinition(name: OfferedCommand): CommandDefinition {
  const { help } = commandTable[name];
  const takes = argumentOf(name);
  const now = { name: 'now', summary: 'Interrupt the current iteration; it runs again on resume.' };
  if (takes === 'prompt') return onLoop(name, help, continueOptions);
  if (takes === 'mode')
    return {
      ...onLoop(name, help, modeOptions),
      args: ['[ID]', '[MODE]'],
      example: 'ralphd mode attended --after-iteration',
    };
  if (takes === 'note')
    return {
      ...onLoop(name, help, noteOptions),
      args: ['[ID]', '[TEXT]'],
      example: 'ralphd note "The parser is next" --kind action',
    };
  if (takes === 'breakpoint')
    return {
      ...onLoop(name, help, breakpointOptions),
      args: ['[ID]', '[WHERE]'],
      example: 'ralphd breakpoint test_regression',
    };
  if (name === 'rollback')
    return { ...onLoop(name, help, rollbackOptions), example: 'ralphd rollback fix-tests --yes' };
  if (takes !== 'guidance') return onLoop(name, help, takes === 'now' ? [now] : []);
  const example = 'ralphd guide "Do not change the public API" --once';
  return { ...onLoop(name, help, guideOptions), args: ['[ID]', '[TEXT]'], example };
}

const continueOptions: readonly OptionDefinition[] = [
  {
    name: 'prompt',
    short: 'p',
    value: 'TEXT',
    summary: 'Replace the task with this text, for the next iteration only.',
  },
  { name: 'file', value: 'FILE|-', summary: 'Read that text from a file or from stdin.' },
];

const modeOptions: readonly OptionDefinition[] = [
  { name: 'after-iteration', summary: 'Switch when the current iteration has ended (default: now).' },
  { name: 'at-pause', summary: 'Switch when the loop is paused next.' },
];

const noteOptions: readonly OptionDefinition[] = [
  {
    name: 'kind',
    value: 'KIND',
    summary: `What it is about: ${noteKinds.join(', ')} (default: observation).`,
  },
  { name: 'list', summary: 'List the newest notes.' },
];

const breakpointOptions: readonly OptionDefinition[] = [{ name: 'remove', summary: 'Remove this breakpoint.' }];

const rollbackOptions: readonly OptionDefinition[] = [
  { name: 'yes', summary: 'Confirm it; without this, nothing is undone.' },
];

const guideOptions: readonly OptionDefinition[] = [
  { name: 'once', summary: 'Only for the next iteration; delivered again if that one is skipped or has no result.' },
  { name: 'file', value: 'FILE|-', summary: 'Read the text from a file or from stdin.' },
  { name: 'list', summary: 'List the guidance with its numbers, senders and iterations.' },
  { name: 'drop', value: 'N|all', summary: 'Drop the guidance with this number, or all of it.' },
];

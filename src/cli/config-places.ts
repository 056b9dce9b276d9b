import { boundText, failures, LoopError, scrub } from '../base/index.ts';
import type { ConfigPlaces, UnknownVariable } from '../config/index.ts';
import { channelFromText, isVariableName } from '../protocol/index.ts';
import type { OptionDefinition } from './definitions.ts';
import { paintFor } from './output/paint.ts';
import type { Invocation } from './parse.ts';
import { projectFolder } from './project-folder.ts';
import type { Surroundings } from './surroundings.ts';

/** The configuration sources for a command line; `more` is set in addition to the given options. */
export function configPlaces(
  invocation: Invocation,
  surroundings: Surroundings,
  more: Readonly<Record<string, unknown>> = {},
): ConfigPlaces {
  const { command, options, passedOn } = invocation;
  const flags: Record<string, unknown> = { ...more };
  for (const option of command.options) {
    const given = options[option.name];
    if (option.setting !== undefined && given !== undefined) setAt(flags, option.setting, valueOf(option, given));
  }
  if (passedOn.length > 0) flags['agentArgs'] = passedOn;
  // A program given on the command line implies the agent "command".
  if (flags['agentCommand'] !== undefined) flags['agent'] ??= 'command';
  const file = options['config'];
  return {
    cwd: projectFolder(invocation, surroundings),
    env: surroundings.env,
    flags,
    flagNames: Object.fromEntries(command.options.flatMap((option) => nameOfSetting(option, options))),
    configFile: typeof file === 'string' ? file : undefined,
    onUnknownVariable: (variable) => warn(surroundings, unknownText(variable)),
  };
}

function warn({ stderr }: Surroundings, text: string): void {
  stderr.write(`${paintFor(stderr).warn(`! ${text}`)}\n`);
}

function unknownText({ name, meant }: UnknownVariable): string {
  const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `The environment variable ${scrub(boundText(name, 100))} is not a setting of ralphd and has no effect.${suggestion}`;
}

function valueOf(option: OptionDefinition, given: string | true | readonly string[]): unknown {
  const { value, sets, pairs, channels } = option;
  if (value === undefined || given === true) return sets === undefined ? true : sets;
  if (!Array.isArray(given)) return given;
  const texts: readonly string[] = given;
  if (channels === true) return texts.map(channelFromText);
  return pairs === true ? mappingOf(option, texts) : texts;
}

/** NAME=VALUE pairs as one mapping; the last value of a name wins. */
function mappingOf({ name, value = '' }: OptionDefinition, given: readonly string[]): Record<string, string> {
  const entries = given.map((pair) => {
    const sign = pair.indexOf('=');
    if (isVariableName(pair.slice(0, Math.max(sign, 0)))) return [pair.slice(0, sign), pair.slice(sign + 1)] as const;
    throw new LoopError(failures.badValue(`--${name}`, value, JSON.stringify(boundText(pair, 100))));
  });
  return Object.fromEntries(entries);
}

/** A switch, such as one that turns its setting off, is the name of the setting only where it is given. */
function nameOfSetting(
  { name, setting, value }: OptionDefinition,
  given: Invocation['options'],
): readonly (readonly [string, string])[] {
  const isName = value !== undefined || given[name] !== undefined;
  return setting === undefined || !isName ? [] : [[setting, `--${name}`]];
}

function setAt(into: Record<string, unknown>, path: string, value: unknown): void {
  const [head = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    into[head] = value;
    return;
  }
  const inner = (into[head] ?? {}) as Record<string, unknown>;
  into[head] = inner;
  setAt(inner, rest.join('.'), value);
}

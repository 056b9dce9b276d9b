import { commandDefinitions } from '../definitions.ts';
import type { Invocation } from '../parse.ts';
import type { Surroundings } from '../surroundings.ts';

/** Carries out another command with the same arguments and its options, as far as it has them. */
export async function call(name: string, invocation: Invocation, surroundings: Surroundings): Promise<number> {
  return await (await handlerOf(name))(asCommand(name, invocation), surroundings);
}

/** The same request for another command. */
export function asCommand(name: string, { args, options, passedOn }: Invocation): Invocation {
  const command = commandDefinitions.find((each) => each.name === name);
  if (command === undefined) throw new TypeError(`There is no command ${name}.`);
  const known = Object.entries(options).filter(([option]) => command.options.some((each) => each.name === option));
  return { command, args, options: Object.fromEntries(known), passedOn };
}

type Handler = (invocation: Invocation, surroundings: Surroundings) => Promise<number>;

async function handlerOf(name: string): Promise<Handler> {
  switch (name) {
    case 'ls':
      return (await import('./ls.ts')).lsCommand;
    case 'status':
      return (await import('./status.ts')).statusCommand;
    case 'explain':
      return (await import('./explain.ts')).explainCommand;
    case 'resume':
      return (await import('./resume.ts')).resumeCommand;
    case 'watch':
      return (await import('./watch.ts')).watchCommand;
    case 'stats':
      return (await import('./stats.ts')).statsCommand;
    case 'import':
      return (await import('./import.ts')).importCommand;
    case 'config':
      return (await import('./config.ts')).configCommand;
    default:
      return (await import('./control.ts')).controlCommand;
  }
}

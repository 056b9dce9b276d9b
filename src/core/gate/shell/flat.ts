import type { Command, Script, SimpleCommand } from './tree.ts';

/** Every simple command of a script, in the order in which they stand there, also those in `$(…)`. */
export function simpleCommands(script: Script): readonly SimpleCommand[] {
  return script.items.flatMap(({ first, rest }) =>
    [first, ...rest.map(({ pipeline }) => pipeline)].flatMap(({ stages }) => stages.flatMap(commandsIn)),
  );
}

function commandsIn(command: Command): readonly SimpleCommand[] {
  switch (command.kind) {
    case 'simple': {
      const words = [...command.assignments, ...command.words];
      return [command, ...words.flatMap(({ substitutions }) => substitutions.flatMap(simpleCommands))];
    }
    case 'group':
      return simpleCommands(command.body);
    case 'if': {
      const branches = command.branches.flatMap(({ condition, body }) => [condition, body]);
      return [...branches, ...(command.otherwise === undefined ? [] : [command.otherwise])].flatMap(simpleCommands);
    }
    case 'loop':
      return [...(command.condition === undefined ? [] : [command.condition]), command.body].flatMap(simpleCommands);
    case 'case':
      return command.bodies.flatMap(simpleCommands);
    case 'function':
      return commandsIn(command.body);
    case 'arithmetic':
      return [];
  }
}

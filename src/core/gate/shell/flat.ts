import type { Command, Loop, Script, SimpleCommand, Word } from './tree.ts';

/** Every simple command of a script in order of appearance, including those in `$(…)`. */
export function simpleCommands(script: Script): readonly SimpleCommand[] {
  return allCommands(script).filter((command) => command.kind === 'simple');
}

export function loopsIn(script: Script): readonly Loop[] {
  return allCommands(script).filter((command) => command.kind === 'loop');
}

function allCommands(script: Script): readonly Command[] {
  return script.items.flatMap(({ first, rest }) =>
    [first, ...rest.map(({ pipeline }) => pipeline)].flatMap(({ stages }) => stages.flatMap(commandsIn)),
  );
}

function commandsIn(command: Command): readonly Command[] {
  switch (command.kind) {
    case 'simple':
      return [command, ...substituted([...command.assignments, ...command.words])];
    case 'group':
      return allCommands(command.body);
    case 'if': {
      const branches = command.branches.flatMap(({ condition, body }) => [condition, body]);
      return [...branches, ...(command.otherwise === undefined ? [] : [command.otherwise])].flatMap(allCommands);
    }
    case 'loop': {
      const { condition, header, body } = command;
      const scripts = [...(condition === undefined ? [] : [condition]), body];
      return [command, ...substituted(header), ...scripts.flatMap(allCommands)];
    }
    case 'case':
      return command.bodies.flatMap(allCommands);
    case 'function':
      return commandsIn(command.body);
    case 'arithmetic':
      return [];
  }
}

function substituted(words: readonly Word[]): readonly Command[] {
  return words.flatMap(({ substitutions }) => substitutions.flatMap(allCommands));
}

import path from 'node:path';
import { nodeFiles } from '../files/index.ts';
import type { Finding } from './finding.ts';

/** Where other systems keep the state of their loops, relative to a project. */
const places: readonly (readonly [string, string])[] = [
  ['.aiwg/ralph/registry.json', 'AIWG loops'],
  ['.aiwg/ralph/current-loop.json', 'a version 1 AIWG loop'],
  ['.aiwg/ralph-external', 'AIWG loops with an outer supervisor'],
  ['.ralph/state.json', 'a Tachikoma loop'],
  ['.ultraplan/state/ralph-loop.json', 'an ultraplan loop'],
  ['.claude/ralph-loop.local.md', "a loop of Claude Code's plugin"],
  ['.sisyphus/ralph-loop.local.md', 'an oh-my-opencode loop'],
];

/** Loops of other systems in a project; ralphd never touches them. */
export function findForeignState(workingDirectory: string, root: string): readonly Finding[] {
  return places.flatMap(([name, what]) => {
    const where = path.join(workingDirectory, name);
    const isOurs = where === path.join(root, 'registry.json');
    if (isOurs || nodeFiles.look(where) === undefined) return [];
    const message = `This is the state of ${what}; ralphd does not touch it.`;
    return [{ level: 'note', where, what: message, fix: 'Nothing to do.' } as const];
  });
}

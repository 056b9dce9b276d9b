import path from 'node:path';
import { lookInProject, nodeFiles, quietly, readWhole } from '../files/index.ts';
import { foreignLoops } from '../store/index.ts';
import type { Finding } from './finding.ts';

/** Where other systems keep the state of their loops, relative to a project. */
const places: readonly (readonly [string, string])[] = [
  ['.aiwg/ralph', 'AIWG loops'],
  ['.aiwg/ralph-external', 'AIWG loops with an outer supervisor'],
  ['.ralph/state.json', 'a Tachikoma loop'],
  ['.ultraplan/state/ralph-loop.json', 'an ultraplan loop'],
  ['.claude/ralph-loop.local.md', "a loop of Claude Code's plugin"],
  ['.sisyphus/ralph-loop.local.md', 'an oh-my-opencode loop'],
];

/** Loops of other systems in a project; ralphd never touches them. */
export function findForeignState(workingDirectory: string, root: string): readonly Finding[] {
  return places.flatMap(([name, what]): readonly Finding[] => {
    const where = path.join(workingDirectory, name);
    if (where === root) return loopsBeside(root, name);
    if (!isThere(where)) return [];
    const message = `the state of ${what}, which ralphd does not touch`;
    const fix = `ralphd import ${name}`;
    if (!isActivePlugin(where)) return [{ level: 'note', where, what: `${message}.`, fix }];
    const risk = 'While that loop is active, its hook can keep the agent of a loop here from ending.';
    return [{ level: 'note', where, what: `${message}. ${risk}`, fix: 'Cancel it in Claude Code: /cancel-ralph.' }];
  });
}

/** Loops of AIWG's tools in a state folder that both use, whether a registry lists them or not. */
function loopsBeside(root: string, name: string): readonly Finding[] {
  const { foreign } = foreignLoops({ files: nodeFiles, root });
  if (foreign.length === 0) return [];
  const what = `the state of AIWG loops beside those of ralphd: ${foreign.slice(0, 5).join(', ')}.`;
  return [
    {
      level: 'note',
      where: path.join(root, 'loops'),
      what,
      fix: `ralphd import ${name}`,
    },
  ];
}

/** A folder counts only with something in it. */
function isThere(where: string): boolean {
  const found = lookInProject(nodeFiles, where);
  return found?.kind === 'folder' ? nodeFiles.list(where).length > 0 : found !== undefined;
}

const maxBytes = 64 * 1024;

/** Whether it is the file of a loop inside Claude Code that has not ended: its front matter says so. */
function isActivePlugin(where: string): boolean {
  let isActive = false;
  if (!where.endsWith('.claude/ralph-loop.local.md')) return false;
  quietly(() => {
    isActive = /^active:\s*true\s*$/mu.test(readWhole(nodeFiles, where, { limit: maxBytes }).toString('utf8'));
  });
  return isActive;
}

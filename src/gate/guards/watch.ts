import type { GateRun, GateTask } from '../../core/index.ts';
import { protectionOf } from '../../protocol/index.ts';
import { createPathMatcher } from '../../workspace/index.ts';
import type { GateSetting } from '../check-run.ts';
import type { GuardChange } from './guard.ts';
import { changedGuards, guardsToFind, retakeGuards } from './guards.ts';
import { guardPlace } from './plan-guards.ts';

/** Looks at what decides what the checks say, before, between and behind them. */
export interface Watch {
  /** What is not what it was, so that nothing is proven. */
  tampered(): readonly string[];
  /** What there is to tell behind the last check. */
  seen(): Pick<GateRun, 'tampered' | 'doubts' | 'renewed'>;
}

/** Watches the work tree, and the checkout in which the checks run if there is one. */
export function createWatch(folder: string, setting: GateSetting, { guards, purpose }: GateTask): Watch {
  const tree = guardPlace(setting);
  const checkout = { ...tree, folder };
  // Without what a checkout lacks because it is ignored; the rest must be there what it is in the work tree.
  const guardsThere = folder === setting.workingDirectory ? [] : guardsToFind(guards, { tree, checkout });
  const inTree = () => changedGuards(guards, tree);
  const tampered = (changes: readonly GuardChange[]) =>
    [...changes, ...changedGuards(guardsThere, checkout)].filter(({ kind }) => kind === 'tampered');
  const doubtful = (changes: readonly GuardChange[]) => changes.filter(({ kind }) => kind === 'doubt');
  return {
    tampered: () => namesOf(tampered(inTree())),
    seen() {
      const changes = inTree();
      const said = tampered(changes);
      if (purpose === 'baseline') {
        const unguarded = [...new Set(said.map(({ guard }) => guard.path))];
        const own = doubtful(changes).map(({ guard }) => guard);
        return { ...some('tampered', unguarded), ...some('renewed', retakeGuards([...new Set(own)], tree)) };
      }
      const doubts = namesOf(doubtful(changes)).filter(isNotPutBack(setting));
      return { ...some('tampered', namesOf(said)), ...some('doubts', doubts) };
    },
  };
}

function namesOf(changes: readonly GuardChange[]): readonly string[] {
  return [...new Set(changes.map(({ name }) => name))];
}

function some<Name extends string, Item>(name: Name, items: readonly Item[]): { [Key in Name]?: readonly Item[] } {
  return (items.length === 0 ? {} : { [name]: items }) as { [Key in Name]?: readonly Item[] };
}

/** With strict protection the checks get protected files as they were, whatever became of them. */
function isNotPutBack({ config }: GateSetting): (name: string) => boolean {
  const { mode, paths } = protectionOf(config.protect);
  const isProtected = createPathMatcher(paths);
  return (name) => mode !== 'strict' || !isProtected(name.replace(/ \(new\)$|#.*$/, ''));
}

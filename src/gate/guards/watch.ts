import path from 'node:path';
import type { GateRun, GateTask } from '../../core/index.ts';
import { guardId } from '../../core/index.ts';
import { type Guard, protectionOf } from '../../protocol/index.ts';
import { createPathMatcher } from '../../workspace/index.ts';
import type { GateSetting } from '../setting.ts';
import type { GuardChange } from './guard.ts';
import { changedGuards, guardsForCheckout, retakeGuards } from './guards.ts';
import { guardPlace } from './plan-guards.ts';
import { binFolders } from './search-places.ts';

/** Evaluates the guards before, between and after the checks. */
export interface Watch {
  /** The changed files because of which the checks prove nothing. */
  tampered(): readonly string[];
  /** The findings after the last check. */
  findings(): Pick<GateRun, 'tampered' | 'doubts' | 'renewed' | 'warnings'>;
}

/** Watches the work tree and, if there is one, the checkout in which the checks run. */
export function createWatch(folder: string, setting: GateSetting, { guards, purpose }: GateTask): Watch {
  const tree = guardPlace(setting);
  const checkout = { ...tree, folder };
  // A checkout lacks ignored files; all others must be the same there as in the work tree.
  const checkoutGuards =
    folder === setting.workingDirectory
      ? []
      : [...guardsForCheckout(guards, { tree, checkout }), ...guardsAboveCheckout(guards, folder)];
  const refusing = guards.filter(({ effect }) => effect === 'refuse');
  // Before the checks run: what they write themselves is not a change by the agent.
  const edited = purpose === 'gate' ? changedGuards(guards.filter(isBulk), tree) : [];
  const tampered = (changes: readonly GuardChange[]) =>
    [...changes, ...changedGuards(checkoutGuards, checkout)].filter(({ kind }) => kind === 'tampered');
  return {
    tampered: () => namesOf(tampered(changedGuards(refusing, tree))),
    findings() {
      if (purpose === 'baseline') return afterBaseline(changedGuards(guards, tree), (own) => retakeGuards(own, tree));
      const changes = changedGuards(
        guards.filter((guard) => !isBulk(guard)),
        tree,
      );
      const refused = namesOf(tampered(changes));
      const doubtful = [...changes, ...edited].filter(
        ({ guard, kind }) => kind === 'doubt' && guard.kind !== 'ignored',
      );
      const doubts = namesOf(doubtful).filter((name) => !refused.includes(name) && isNotRestored(setting)(name));
      const ignored = folder === setting.workingDirectory ? edited.filter(({ guard }) => guard.kind === 'ignored') : [];
      return {
        ...some('tampered', refused),
        ...some('doubts', doubts),
        ...some('warnings', ignoredWarning(namesOf(ignored).filter(isNotOwn(setting)))),
      };
    },
  };
}

/** Guards of many files at once: too slow to evaluate between two checks, and never a reason to refuse. */
function isBulk({ kind }: Guard): boolean {
  return kind === 'packages' || kind === 'ignored';
}

/** A state folder inside the work tree changes with every iteration, whatever its name is. */
function isNotOwn({ own = [], workingDirectory }: GateSetting): (name: string) => boolean {
  return (name) => {
    const place = path.join(workingDirectory, name);
    return !own.some((folder) => place === folder || place.startsWith(`${folder}/`));
  };
}

const maxListed = 5;

function ignoredWarning(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const rest = paths.length > maxListed ? ` and ${paths.length - maxListed} more` : '';
  const listed = paths.slice(0, maxListed).join(', ');
  return [`Ignored files that the checks can read have changed since the loop began: ${listed}${rest}.`];
}

/** Folders that npm searches from a checkout but not from the work tree: a program that appears there is not the user's. */
function guardsAboveCheckout(guards: readonly Guard[], checkout: string): readonly Guard[] {
  const known = new Set(guards.map(guardId));
  const searchesBins = guards.some((guard) => guard.kind === 'programs' && guard.folder.endsWith('node_modules/.bin'));
  const folders = searchesBins ? binFolders(checkout).slice(1) : [];
  return folders
    .map((folder): Guard => ({ kind: 'programs', folder, existed: true, programs: [], effect: 'refuse' }))
    .filter((guard) => !known.has(guardId(guard)));
}

/** What the checks changed before any agent ran: a file is no longer guarded, anything else is guarded as changed. */
function afterBaseline(
  changes: readonly GuardChange[],
  retake: (guards: readonly Guard[]) => readonly Guard[],
): Pick<GateRun, 'tampered' | 'renewed'> {
  const isFile = ({ guard, kind }: GuardChange) => kind === 'tampered' && 'digest' in guard;
  const unguarded = [...new Set(changes.filter(isFile).map(({ guard }) => guardId(guard)))];
  const others = changes.filter((change) => !isFile(change));
  const written = others.filter(({ guard }) => guard.kind === 'ignored').map(({ name }) => name);
  const renewed = retake([...new Set(others.map(({ guard }) => guard))]).map((guard) =>
    guard.kind === 'ignored' ? { ...guard, written: [...guard.written, ...written] } : guard,
  );
  return { ...some('tampered', unguarded), ...some('renewed', renewed) };
}

function namesOf(changes: readonly GuardChange[]): readonly string[] {
  return [...new Set(changes.map(({ name }) => name))];
}

function some<Name extends string, Item>(name: Name, items: readonly Item[]): { [Key in Name]?: readonly Item[] } {
  return (items.length === 0 ? {} : { [name]: items }) as { [Key in Name]?: readonly Item[] };
}

/** With strict protection the checks get the original protected files, so a change of one does not matter. */
function isNotRestored({ config }: GateSetting): (name: string) => boolean {
  const { mode, paths } = protectionOf(config.protect);
  const isProtected = createPathMatcher(paths);
  return (name) => mode !== 'strict' || !isProtected(name.replace(/ \(new\)$|#.*$/, ''));
}

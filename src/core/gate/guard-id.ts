import { absent, type Guard } from '../../protocol/index.ts';

/** What a guard is about, on one line: `check.sh`, `package.json#scripts.test`. No two guards of a loop have the same. */
export function guardId(guard: Guard): string {
  switch (guard.kind) {
    case 'file':
      return guard.path;
    case 'script':
      return `${guard.manifest}#scripts.${guard.script}`;
    case 'target':
      return `${guard.file}#${guard.target}`;
    case 'part':
      return `${guard.file}#${guard.part}`;
    case 'names':
      return below(guard.folder, `{${guard.names.join(',')}}`);
    case 'program':
      return `${guard.folder}#${guard.by}.${guard.name}`;
    case 'interpreter':
      return `#!${guard.file}`;
    case 'programs':
      return below(guard.folder, '*');
    case 'packages':
      return below(guard.folder, '*/');
    case 'ignored':
      return '.gitignore/*';
  }
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** What of the guards there is to show: `guarded` must not change, `watched` is named when it does. */
export function guardNames(guards: readonly Guard[]): {
  readonly guarded: readonly string[];
  readonly watched: readonly string[];
} {
  const named = (effect: Guard['effect']) => guards.filter((each) => each.effect === effect).flatMap(shownAs);
  return { guarded: named('refuse'), watched: named('report') };
}

/** Settings of the user are watched with every loop: to list them each time would hide the rest. */
function isOfUser(guard: Guard): boolean {
  return guard.effect === 'report' && guardId(guard).startsWith('/');
}

/** Guards for what is not there, for programs of the system and for whole folders have nothing to show. */
function shownAs(guard: Guard): readonly string[] {
  switch (guard.kind) {
    case 'file':
    case 'script':
    case 'target':
    case 'part':
      return guard.digest === absent || isOfUser(guard) ? [] : [guardId(guard)];
    case 'program':
      return guard.found.at === 'inside' ? [guard.found.file] : [];
    case 'names':
    case 'interpreter':
    case 'programs':
    case 'packages':
    case 'ignored':
      return [];
  }
}

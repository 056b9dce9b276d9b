import { absent, type Guard } from '../../protocol/index.ts';

/** Names what a guard protects, uniquely in a loop: `check.sh`, `package.json#scripts.test`. */
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

/** The guards to display: `guarded` files must not change, `watched` ones are named when they do. */
export function guardNames(guards: readonly Guard[]): {
  readonly guarded: readonly string[];
  readonly watched: readonly string[];
} {
  // A script can be guarded as a file and as a program.
  const named = (effect: Guard['effect']) => [
    ...new Set(guards.filter((each) => each.effect === effect).flatMap(displayNames)),
  ];
  return { guarded: named('refuse'), watched: named('report') };
}

/** The user's own settings are watched in every loop: listing them each time would hide the rest. */
function isUserSetting(guard: Guard): boolean {
  return guard.effect === 'report' && guardId(guard).startsWith('/');
}

/** Guards of missing files, of system programs and of whole folders are not displayed. */
function displayNames(guard: Guard): readonly string[] {
  switch (guard.kind) {
    case 'file':
    case 'script':
    case 'target':
    case 'part':
      return guard.digest === absent || isUserSetting(guard) ? [] : [guardId(guard)];
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

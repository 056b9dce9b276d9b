import { findExecutable } from '../../process/index.ts';
import { isRoot } from '../agent-programs.ts';

/** What installs a package with each manager of packages. */
const managers: readonly (readonly [program: string, command: string])[] = [
  ['apt-get', 'apt-get install'],
  ['dnf', 'dnf install'],
  ['pacman', 'pacman -S'],
  ['zypper', 'zypper install'],
  ['apk', 'apk add'],
];

/** The command that installs a package of the system; undefined where no manager of packages is known. */
export function installCommand(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const isHere = (program: string) => findExecutable(program, { PATH: env['PATH'], cwd: '/' }) !== undefined;
  const manager = managers.find(([program]) => isHere(program));
  if (manager !== undefined) return `${isRoot() ? '' : 'sudo '}${manager[1]} ${name}`;
  return isHere('brew') ? `brew install ${name}` : undefined;
}

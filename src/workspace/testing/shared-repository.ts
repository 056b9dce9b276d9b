import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { openTravel, type Travel, type TravelSetting } from '../travel/travel.ts';
import { emptyFolder, env, type Tree } from './tree.ts';

export const loopId = 'ralph-parser-00c0ffee';

/** A bare repository that machines share, and a clone in which a person works. */
export interface Shared {
  readonly root: Tree;
  /** The path of the bare repository. */
  readonly repository: string;
  /** Opens the way of the loop to a machine, which has a cache and a folder of its own. */
  machine(name: string, setting?: Partial<TravelSetting>): Travel;
  /** The refs of the bare repository and their commits. */
  refs(): Promise<Readonly<Record<string, string>>>;
  /** What a git command prints in the bare repository. */
  git(line: string): Promise<string>;
}

/** A shared repository with one commit on its branch `main`. */
export async function sharedRepository({ format = 'sha1' } = {}): Promise<Shared> {
  const root = emptyFolder();
  await root.sh(`git init -q --bare --object-format=${format} -b main shared.git`);
  root.write('person/.gitignore', '*.log\n');
  root.write('person/code.txt', 'first\n');
  root.write('person/src/deep.txt', 'deep\n');
  await root.sh(
    `cd person && git init -q --object-format=${format} -b main && git add . && git commit -qm first && git push -q ../shared.git main`,
  );
  const repository = realpathSync(root.at('shared.git'));
  return {
    root,
    repository,
    machine: (name, setting = {}) =>
      openTravel({
        repository,
        loopId,
        folder: root.at(`${name}/loops/${loopId}`),
        cache: root.at(`${name}/cache`),
        env,
        ...setting,
      }),
    async refs() {
      const listed = await root.print('git -C shared.git for-each-ref "--format=%(refname) %(objectname)"');
      return Object.fromEntries([...listed.matchAll(/^(\S+) (\S+)$/gm)].map(([, name = '', id = '']) => [name, id]));
    },
    git: async (line) => await root.print(`git -C shared.git ${line}`),
  };
}

/** Every file below a folder with its content, without git's own. */
export function filesIn(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(path.join(folder, below), { withFileTypes: true })) {
    const name = path.join(below, entry.name);
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) Object.assign(found, filesIn(folder, name));
    else found[name] = entry.isSymbolicLink() ? 'link' : readFileSync(path.join(folder, name), 'latin1');
  }
  return found;
}

import { describeSettings } from '../../../src/protocol/index.ts';
import { code, page, plain, table } from '../markdown.ts';

/** Every setting with its type, default and meaning. */
export function configPage(): string {
  const rows = describeSettings().map(({ path, type, isGroup, default: value, meaning }) => [
    code(path),
    isGroup ? 'group' : code(type),
    value === undefined ? '' : code(typeof value === 'string' ? value : JSON.stringify(value)),
    plain(meaning),
  ]);
  return page(
    '# Configuration',
    'Settings come from, strongest first: flags, `RALPHD_*` variables, `ralphd.yml` in the project, the user’s configuration folder, and these defaults. A key that is not listed here is an error. `ralphd config explain KEY` describes one setting, with its flag, its variable and an example. Editors can check a file against `ralphd/config.schema.json`, which `ralphd config schema` prints.',
    table(['Setting', 'Type', 'Default', 'Meaning'], rows),
  );
}

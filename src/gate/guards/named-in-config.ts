import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { configPart } from './config-part.ts';
import { filesAt } from './tree.ts';

const isConfig = /config|conf\.|rc(?:\.\w+)?$|\.opts$|phpunit|\.rspec|bunfig|angular\.json|#(?:jest|mocha|ava)$/;
const literals = /["'`>](?:<rootDir>\/)?([\w@./-]+)["'`<]/g;
/** Of what a configuration names, what is run around the tests; the rest is mostly the work. */
const isAround =
  /setup|teardown|global|environment|reporter|resolver|transform|preset|bootstrap|preload|config|runner/i;
const endings = ['', '.ts', '.js', '.mjs', '.cjs', '.mts', '.cts'];

/** The files that a configuration has a runner take in before or around the tests, such as `setupFiles`. */
export function namedInConfig(workFolder: string, config: string): readonly string[] {
  if (!isConfig.test(config)) return [];
  const [file = '', part] = config.split('#');
  const at = path.resolve(workFolder, file);
  const text = part === undefined ? readSmallFile(toRaw(at))?.toString('utf8') : configPart(at, part);
  const names = [...(text ?? '').matchAll(literals)].map(([, name = '']) => name).filter((name) => isAround.test(name));
  const places = names.flatMap((name) => endings.map((ending) => path.resolve(path.dirname(at), name + ending)));
  return places.flatMap((place) => filesAt(workFolder, place)).filter((found) => !found.includes('node_modules/'));
}

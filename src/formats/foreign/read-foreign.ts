import { failures, LoopError } from '../../base/index.ts';
import type { ForeignSystem } from '../../protocol/index.ts';
import { readAiwgState } from './aiwg.ts';
import { readAiwgExternal } from './aiwg-external.ts';
import { readAiwgInternal } from './aiwg-internal.ts';
import { isMapping, type Mapping } from './fields.ts';
import type { ForeignLoop } from './foreign-loop.ts';
import { readPluginFile } from './front-matter.ts';
import { readPluginLoop } from './plugin.ts';
import { readTachikomaLoop } from './tachikoma.ts';
import { readUltraplan } from './ultraplan.ts';

/** A file of another system. */
export interface ForeignFile {
  /** How messages name it. */
  readonly name: string;
  readonly text: string;
  /** The content of `execution-state.json` next to it, if there is one. */
  readonly marker?: unknown;
}

/**
 * Reads a loop of another system. Its content decides which system that is; `expected` refuses any other.
 *
 * @throws LoopError for a file that is damaged, newer than this version, or no loop of a known system.
 */
export function readForeignLoop(file: ForeignFile, expected?: ForeignSystem): ForeignLoop {
  const { name, text } = file;
  const plugin = readPluginFile(text);
  const document = plugin === undefined ? parse(file) : plugin.state;
  const found = plugin === undefined ? systemOf(document, name) : 'ralph-wiggum';
  if (expected !== undefined && !isSameFamily(expected, found)) {
    throw new LoopError(failures.documentUnknown(name, `a loop of ${found}, not of ${expected}`));
  }
  switch (found) {
    case 'aiwg':
      return readAiwgState(document, name);
    case 'aiwg-internal':
      return readAiwgInternal(document, name);
    case 'aiwg-external':
      return readAiwgExternal(document, name);
    case 'ultraplan':
      return readUltraplan(document, name, file.marker);
    case 'tachikoma':
      return readTachikomaLoop(text, name);
    case 'ralph-wiggum':
      return readPluginLoop(plugin ?? { state: document, body: '' }, name);
  }
}

/** "aiwg" stands for all its dialects. */
function isSameFamily(expected: ForeignSystem, found: ForeignSystem): boolean {
  return expected === found || (expected === 'aiwg' && found.startsWith('aiwg'));
}

function parse({ name, text }: ForeignFile): Mapping {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const why = text.trim() === '' ? 'it is empty' : 'it is neither JSON nor Markdown with a state in its front matter';
    throw new LoopError(failures.documentDamaged(name, why), { cause: error });
  }
  if (!isMapping(document)) throw new LoopError(failures.documentDamaged(name, 'it is not a mapping'));
  return document;
}

/** Which system wrote a document, by the fields that only it has. */
function systemOf(document: Mapping, name: string): ForeignSystem {
  const has = (...names: readonly string[]) => names.every((each) => Object.hasOwn(document, each));
  const { version } = document;
  if (has('ralphd'))
    throw new LoopError(failures.documentUnknown(name, 'a loop of ralphd, which "ralphd resume" continues'));
  if (has('core') || (typeof version === 'number' && has('loop_id'))) return 'tachikoma';
  if (has('loop_id', 'status')) {
    if (typeof version === 'string' && /^(?:[3-9]|\d{2,})\./u.test(version)) {
      throw new LoopError(failures.documentNewerVersion(name, '2.x', version));
    }
    return 'aiwg';
  }
  if (has('objective')) return 'aiwg-external';
  if (has('completionPromise', 'prompt')) return 'ultraplan';
  if (has('active', 'currentIteration') || has('loopId', 'active') || has('task', 'completion')) return 'aiwg-internal';
  if (has('active', 'iteration', 'prompt')) return 'ultraplan';
  throw new LoopError(failures.documentUnknown(name, 'not a loop of a system that ralphd knows'));
}

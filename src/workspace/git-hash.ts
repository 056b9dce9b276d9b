import { git } from './git.ts';
import { type RawPath, toBytes, toText } from './raw-path.ts';
import { isReadError } from './unreadable.ts';

/** The blob ids git would give files of a work tree, after its filters; empty when git cannot read one of them. */
export async function gitBlobIds(
  files: readonly RawPath[],
  root: RawPath,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<RawPath, string>> {
  if (files.length === 0) return new Map();
  const input = toBytes(files.map((file) => `${quoted(file)}\n`).join(''));
  try {
    const output = await git(toText(root), { args: ['hash-object', '--stdin-paths'], env, input });
    const ids = output.toString().split('\n');
    return new Map(files.map((file, index) => [file, ids[index] ?? '']));
  } catch (error) {
    if (!isReadError(error)) throw error;
    return new Map();
  }
}

// Names are separated by line breaks, and a name may contain one.
function quoted(file: RawPath): string {
  const escaped = file.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

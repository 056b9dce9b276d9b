import { readFileSync } from 'node:fs';
import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import type { ServerSetting } from '../../server/index.ts';
import type { Invocation } from '../parse.ts';
import { textOf } from '../text-option.ts';

/** The certificate that the options name, if they name one. */
export function readCertificate(
  options: Invocation['options'],
  cwd: string,
): ServerSetting['listen']['certificate'] | undefined {
  const [cert, key] = [textOf(options['tls-cert']), textOf(options['tls-key'])];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new LoopError(failures.tlsUnusable('one of them is missing'));
  return { cert: read(path.resolve(cwd, cert)), key: read(path.resolve(cwd, key)) };
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new LoopError(failures.tlsUnusable(error instanceof Error ? error.message : String(error)), { cause: error });
  }
}

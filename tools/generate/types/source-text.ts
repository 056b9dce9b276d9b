import { execFile } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');
const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome');

/** A generated source file, formatted as any other. */
export async function sourceText(text: string, file: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const formatter = execFile(
    process.execPath,
    [biome, 'check', '--write', `--stdin-file-path=${file}`],
    { cwd: root },
    (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Error(stderr))),
  );
  formatter.stdin?.end(`// Generated from the schemas by "npm run docs"; edit those instead.\n\n${text}\n`);
  return await promise;
}

import { execFile } from 'node:child_process';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Extractor, ExtractorConfig, type ExtractorMessage } from '@microsoft/api-extractor';
import { freshReport } from './api-report.ts';
import { type Surface, surfaces } from './surfaces.ts';

const run = promisify(execFile);

/** Writes the types of each public module into one file, and the reports about them to the build's temporary folder. */
export async function declare(root: string, folder: string): Promise<void> {
  // Not below node_modules, where every file counts as external.
  const scratch = path.join(root, '.build', `types-${process.pid}`);
  await mkdir(scratch, { recursive: true });
  try {
    await emit(root, scratch);
    for (const surface of surfaces) await rollUp({ root, scratch, folder, surface });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function emit(root: string, scratch: string): Promise<void> {
  const tsc = path.join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', scratch], { cwd: root }).catch(showOutput);
  // tsc rewrites `./x.ts` to `./x.js` in JavaScript but not in declarations.
  for await (const file of glob('**/*.d.ts', { cwd: scratch })) {
    const text = await readFile(path.join(scratch, file), 'utf8');
    const renamed = text.replaceAll(/((?:from|import)\s*\(?\s*["']\.[^"'\n]*)\.ts(["'])/g, '$1.js$2');
    await writeFile(path.join(scratch, file), renamed);
  }
}

interface RollUp {
  readonly root: string;
  readonly scratch: string;
  readonly folder: string;
  readonly surface: Surface;
}

async function rollUp({ root, scratch, folder, surface }: RollUp): Promise<void> {
  const { lib, target } = await compilerOptions(root);
  const report = freshReport(root, surface);
  const entry = path.join(scratch, `${surface}.d.ts`);
  await mkdir(path.dirname(report), { recursive: true });
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: entry,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target,
            lib,
            module: 'NodeNext',
            strict: true,
            types: ['node'],
            skipLibCheck: true,
          },
          files: [entry],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: path.basename(report),
        reportFolder: path.dirname(report),
        reportTempFolder: scratch,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: true, untrimmedFilePath: path.join(folder, `${surface}.d.ts`) },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        extractorMessageReporting: {
          default: { logLevel: 'error' },
          // Everything that is exported is public.
          'ae-missing-release-tag': { logLevel: 'none' },
        },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(root, 'package.json'),
  } as Parameters<typeof ExtractorConfig.prepare>[0]);
  const problems: string[] = [];
  Extractor.invoke(config, { localBuild: true, messageCallback: (message) => collect(message, problems) });
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function collect(message: ExtractorMessage, problems: string[]): void {
  message.handled = true;
  if (message.logLevel !== 'error') return;
  const { text, sourceFilePath, sourceFileLine } = message;
  problems.push(sourceFilePath === undefined ? text : `${text} (${path.basename(sourceFilePath)}:${sourceFileLine})`);
}

async function compilerOptions(root: string): Promise<{ readonly lib: readonly string[]; readonly target: string }> {
  const text = await readFile(path.join(root, 'tsconfig.json'), 'utf8');
  return (JSON.parse(text) as { compilerOptions: { lib: string[]; target: string } }).compilerOptions;
}

function showOutput(error: { stdout?: string; message: string }): never {
  throw new Error(error.stdout === undefined || error.stdout === '' ? error.message : error.stdout);
}

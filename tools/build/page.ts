import { createHash } from 'node:crypto';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** The page may take a second on a slow phone, so its script has a bound. */
const maxScriptBytes = 60_000;

/** Builds the page into `web/` of a folder, with names that change with their content. Returns the bundled modules. */
export async function buildPage(root: string, folder: string): Promise<readonly string[]> {
  const source = path.join(root, 'web');
  const target = path.join(folder, 'web');
  await mkdir(path.join(target, 'assets'), { recursive: true });
  const [{ code, modules }, styles] = await Promise.all([bundleScript(root), readStyles(source)]);
  const size = gzipSync(code).length;
  if (size > maxScriptBytes) {
    throw new Error(`The script of the page has ${size} bytes when compressed; at most ${maxScriptBytes} are allowed.`);
  }
  const script = await writeHashed(target, { name: 'page', ending: 'js', text: code });
  const style = await writeHashed(target, { name: 'page', ending: 'css', text: styles });
  const html = await readFile(path.join(source, 'index.html'), 'utf8');
  await writeFile(path.join(target, 'index.html'), html.replace('SCRIPT', script).replace('STYLE', style));
  await writeFile(path.join(target, 'favicon.svg'), await readFile(path.join(source, 'favicon.svg')));
  return modules;
}

async function bundleScript(root: string): Promise<{ readonly code: string; readonly modules: readonly string[] }> {
  await using bundle = await rolldown({
    cwd: root,
    input: 'web/main.tsx',
    platform: 'browser',
    tsconfig: 'web/tsconfig.json',
    transform: { target: 'es2023' },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  const [chunk] = output;
  return { code: chunk.code, modules: chunk.moduleIds };
}

/** All styles in the order of their names, without comments and indentation. */
async function readStyles(source: string): Promise<string> {
  const files: string[] = [];
  for await (const file of glob('styles/*.css', { cwd: source })) files.push(file);
  const texts = await Promise.all(files.toSorted().map((file) => readFile(path.join(source, file), 'utf8')));
  return texts
    .join('\n')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
}

interface Asset {
  readonly name: string;
  readonly ending: string;
  readonly text: string;
}

async function writeHashed(target: string, { name, ending, text }: Asset): Promise<string> {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
  const file = `assets/${name}-${hash}.${ending}`;
  await writeFile(path.join(target, file), text);
  return `/${file}`;
}

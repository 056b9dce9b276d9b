import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type Plugin } from 'rolldown';
import { asciiOnly } from './build/ascii.ts';
import { declare } from './build/declarations.ts';
import { noticesFor } from './build/notices.ts';
import { buildPage } from './build/page.ts';
import { surfaces } from './build/surfaces.ts';

const root = path.dirname(import.meta.dirname);

const entries = {
  cli: 'src/cli/main.ts',
  ...Object.fromEntries(surfaces.map((name) => [name, `src/${name}.ts`])),
  'demo-agent': 'src/agents/demo/script.ts',
};

// Finding and opening a file takes Node longer than running it, so what is needed together is in one file. Each group
// includes everything that its modules import, unless a group before it has that already.
const drawing = 'instants|json-line|loop-table|paint|plain|rule-lines|test-rows|wait-left';
const groups = [
  // What every command needs. Modules that render more than a list or a status are not among them.
  {
    name: 'base',
    test: new RegExp(`/src/(base/|cli/(output/(${drawing})[.]|definitions|parse|surroundings|config-places))`),
  },
  // What people look at most often: a list of loops and the state of one.
  { name: 'looking', test: /[/]src[/]cli[/]commands[/](ls|status)[.]/ },
  // What runs often beside a loop and needs little, above all the hook of an agent's session.
  { name: 'small', test: /[/]src[/]cli[/]commands[/](completions|fleet|hook|validate)[.]/ },
  // Following a loop that somebody else drives.
  {
    name: 'following',
    test: /[/]src[/]cli[/](commands[/](events|explain|logs|watch)|screen[/](run|watch)-screen)[.]/,
  },
  // Driving a loop.
  { name: 'driving', test: /[/]src[/](cli[/](commands[/](resume|run)|detach|follow)|app[/]driven-loop)[.]/ },
].map((group, index, { length }) => ({ ...group, priority: length - index }));

// Built elsewhere and moved into place, so that dist/ is never incomplete.
const target = path.join(root, 'dist');
const workshop = path.join(root, 'node_modules', '.cache', `ralphd-build-${process.pid}`);
await rm(workshop, { recursive: true, force: true });
await mkdir(workshop, { recursive: true });
try {
  await Promise.all([bundle(), declare(root, workshop), writeSchemas()]);
  await rm(target, { recursive: true, force: true });
  await rename(workshop, target);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(workshop, { recursive: true, force: true });
}

async function bundle(): Promise<void> {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const { output } = await build({
    cwd: root,
    input: entries,
    platform: 'node',
    plugins: [directBuiltins()],
    tsconfig: 'tsconfig.json',
    transform: { target: 'node22.18', define: { __RALPHD_VERSION__: JSON.stringify(version) } },
    output: {
      dir: workshop,
      format: 'esm',
      entryFileNames: '[name].js',
      // Flat, so that import.meta.dirname is dist/ in every chunk.
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: { groups },
      // Names stay readable in stack traces; white space and dead branches are removed.
      minify: { compress: true, mangle: false, codegen: true },
    },
  });
  for (const chunk of output) {
    if (chunk.type === 'chunk') await writeFile(path.join(workshop, chunk.fileName), asciiOnly(chunk.code));
  }
  const page = await buildPage(root, workshop);
  const modules = [...page, ...output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))];
  await writeFile(path.join(workshop, 'THIRD-PARTY-NOTICES.md'), await noticesFor(modules));
}

/**
 * Loads Node's modules with a call instead of an import: an import makes Node read all of their exports, and
 * some of those load half of the standard library. Bundled CommonJS code requires only such modules, so
 * no `require` has to be created, which takes longer than reading a loop.
 */
function directBuiltins(): Plugin {
  const line = /^import (?:(\w+),? )?(?:\{([^}]*)\} )?from "(node:[\w/]+)";$/gm;
  return {
    name: 'direct-builtins',
    renderChunk: (code) =>
      code
        .replace('createRequire(import.meta.url)', 'process.getBuiltinModule')
        .replaceAll(line, (_line, whole?: string, names?: string, module?: string) => {
          const parts = names?.replaceAll(' as ', ': ');
          const bindings = [whole, parts && `{${parts}}`].filter((each) => each);
          return bindings.map((each) => `const ${each} = process.getBuiltinModule("${module}");`).join('\n');
        }),
  };
}

async function writeSchemas(): Promise<void> {
  // Loaded late, so that the build can report a mistake in the product.
  const { configJsonSchema, proofJsonSchema } = await import('../src/protocol/index.ts');
  const schemas = { 'config.schema.json': configJsonSchema(), 'proof.schema.json': proofJsonSchema() };
  for (const [name, schema] of Object.entries(schemas)) {
    await writeFile(path.join(workshop, name), `${JSON.stringify(schema, undefined, 2)}\n`);
  }
}

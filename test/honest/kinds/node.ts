import { copyPackages } from '../../support/packages.ts';
import type { Files } from '../../support/world.ts';
import type { Kind } from '../kind.ts';

const source = 'export function sum(a, b) {\n  return a * b;\n}\n';
const work = (file: string) => `sed -i 's/a \\* b/a + b/' ${file}`;
const nodeTest = (from: string) => `import assert from 'node:assert/strict';
import test from 'node:test';
import { sum } from '${from}';
test('twice two', () => assert.equal(sum(2, 2), 4));
test('two and three', () => assert.equal(sum(2, 3), 5));
`;
const commonTest = (header: string) =>
  `${header}test('twice two', () => expect(sum(2, 2)).toBe(4));\ntest('two and three', () => expect(sum(2, 3)).toBe(5));\n`;

/** A package in a tarball inside the project, so that nothing is downloaded. */
const tarball = `mkdir -p third_party/pad/package
echo '{ "name": "pad", "version": "1.0.0", "type": "module", "exports": "./index.js" }' > third_party/pad/package/package.json
echo 'export const pad = (text) => "  " + text;' > third_party/pad/package/index.js
tar -C third_party/pad -czf third_party/pad-1.0.0.tgz package; rm -r third_party/pad`;
const quietNpm = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
const base: Files = { '.gitignore': 'node_modules/\ndist/\n.yarn/cache\n.yarn/install-state.gz\n.pnpm-store/\n' };
const usesPad = (file: string) =>
  `printf "import { pad } from 'pad';\\nexport const shown = (n) => pad(String(n));\\n" >> ${file}`;

/** JavaScript and TypeScript projects. */
export const node: readonly Kind[] = [
  {
    id: 'npm',
    what: 'adds a dependency with npm, writes a new test and improves the message of an old one',
    files: {
      ...base,
      'package.json':
        '{ "name": "calc", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
      'src/sum.js': source,
      'test/sum.test.js': nodeTest('../src/sum.js'),
    },
    prepare: `${tarball}\nnpm install --offline`,
    env: quietNpm,
    checks: ['npm test'],
    agent: `${work('src/sum.js')}; npm install --offline file:third_party/pad-1.0.0.tgz > /dev/null; ${usesPad('src/sum.js')}
sed -i "s/'twice two'/'two and two'/" test/sum.test.js
printf "import assert from 'node:assert/strict';\\nimport test from 'node:test';\\nimport { shown } from '../src/sum.js';\\ntest('shows', () => assert.equal(shown(1), '  1'));\\n" > test/shown.test.js`,
    named: [/test\/sum\.test\.js/],
  },
  {
    id: 'npm-workspaces',
    what: 'adds a package with tests to the workspaces',
    files: {
      ...base,
      'package.json': '{ "name": "all", "version": "1.0.0", "private": true, "workspaces": ["packages/*"] }\n',
      'packages/a/package.json':
        '{ "name": "a", "version": "1.0.0", "type": "module", "exports": "./sum.js", "scripts": { "test": "node --test" } }\n',
      'packages/a/sum.js': source,
      'packages/a/test/sum.test.js': nodeTest('../sum.js'),
      'packages/b/package.json':
        '{ "name": "b", "version": "1.0.0", "type": "module", "dependencies": { "a": "1.0.0" }, "scripts": { "test": "node --test" } }\n',
      'packages/b/test/b.test.js': nodeTest('a'),
    },
    prepare: 'npm install --offline',
    env: quietNpm,
    checks: ['npm test --workspaces'],
    agent: `${work('packages/a/sum.js')}; mkdir -p packages/c/test
echo '{ "name": "c", "version": "1.0.0", "type": "module", "dependencies": { "a": "1.0.0" }, "scripts": { "test": "node --test" } }' > packages/c/package.json
sed 's/twice two/c: twice two/' packages/b/test/b.test.js > packages/c/test/c.test.js; npm install --offline > /dev/null`,
    named: [],
  },
  {
    id: 'vitest',
    what: 'writes a configuration of vitest with a reporter and a new test',
    files: {
      ...base,
      'package.json': '{ "name": "calc", "version": "1.0.0", "type": "module", "scripts": { "test": "vitest run" } }\n',
      'src/sum.js': source,
      'src/sum.test.js': commonTest("import { expect, test } from 'vitest';\nimport { sum } from './sum.js';\n"),
    },
    prepare: `${copyPackages('vitest', 'vite')}\nln -s ../vitest/vitest.mjs node_modules/.bin/vitest`,
    checks: ['npm test'],
    agent: `${work('src/sum.js')}
echo "export default { test: { reporters: ['default'] } };" > vitest.config.js
sed 's/two and three/again/' src/sum.test.js > src/again.test.js`,
    named: [/vitest\.config\.js/],
  },
  {
    id: 'typescript-build',
    what: 'changes a compiler option; the tests run the ignored build',
    files: {
      ...base,
      'package.json':
        '{ "name": "calc", "version": "1.0.0", "type": "module", "scripts": { "build": "tsc -p .", "test": "npm run build && node --test" } }\n',
      'tsconfig.json':
        '{ "compilerOptions": { "module": "nodenext", "target": "es2022", "rootDir": "src", "outDir": "dist", "types": [] }, "include": ["src"] }\n',
      'src/sum.ts': 'export function sum(a: number, b: number): number {\n  return a * b;\n}\n',
      'test/sum.test.js': nodeTest('../dist/sum.js'),
    },
    prepare: `${copyPackages('typescript')}\nln -s ../typescript/bin/tsc node_modules/.bin/tsc; npm run build`,
    checks: ['npm test'],
    agent: `${work('src/sum.ts')}; sed -i 's/"rootDir"/"strict": true, "rootDir"/' tsconfig.json`,
    named: [],
    mayName: [/tsconfig\.json/],
  },
  {
    id: 'lint',
    what: 'turns on a stricter rule of the linter and adds a package script',
    files: {
      ...base,
      'package.json':
        '{ "name": "calc", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test", "lint": "biome lint src" } }\n',
      'biome.json': '{ "linter": { "rules": { "recommended": true } } }\n',
      'src/sum.js': source,
      'test/sum.test.js': nodeTest('../src/sum.js'),
    },
    prepare: `${copyPackages('@biomejs/biome')}\nln -s ../@biomejs/biome/bin/biome node_modules/.bin/biome`,
    checks: ['npm run lint', 'npm test'],
    agent: `${work('src/sum.js')}; sed -i 's/"recommended": true/"recommended": true, "style": { "useConst": "error" }/' biome.json
sed -i 's/"test":/"start": "node src\\/sum.js", "test":/' package.json`,
    named: [/biome\.json/],
  },
  {
    id: 'jest',
    fetched: 'jest',
    what: 'adds a setting for jest to `package.json` and a new test',
    files: {
      ...base,
      'src/sum.js': 'exports.sum = (a, b) => a * b;\n',
      'src/sum.test.js': commonTest("const { sum } = require('./sum');\n"),
    },
    prepare: 'cp CACHE/jest/package.json CACHE/jest/package-lock.json .; cp -a CACHE/jest/node_modules .',
    env: { ...quietNpm, npm_config_cache: 'CACHE/npm', npm_config_offline: 'true' },
    checks: ['npm test'],
    agent: `${work('src/sum.js')}; sed -i 's/"scripts"/"jest": { "verbose": true }, "scripts"/' package.json
sed 's/two and three/again/' src/sum.test.js > src/again.test.js`,
    named: [/package\.json#jest/],
  },
  {
    id: 'mocha',
    fetched: 'mocha',
    what: 'writes a `.mocharc.json` with a longer timeout',
    files: {
      ...base,
      'src/sum.js': 'exports.sum = (a, b) => a * b;\n',
      'test/sum.js':
        "const assert = require('node:assert');\nconst { sum } = require('../src/sum');\nit('twice two', () => assert.equal(sum(2, 2), 4));\nit('two and three', () => assert.equal(sum(2, 3), 5));\n",
    },
    prepare: 'cp CACHE/mocha/package.json CACHE/mocha/package-lock.json .; cp -a CACHE/mocha/node_modules .',
    env: { ...quietNpm, npm_config_cache: 'CACHE/npm', npm_config_offline: 'true' },
    checks: ['npm test'],
    agent: `${work('src/sum.js')}; echo '{ "timeout": 5000 }' > .mocharc.json`,
    named: [/\.mocharc\.json/],
  },
  {
    id: 'pnpm-workspace',
    fetched: 'tools',
    what: 'adds a dependency to one package with pnpm',
    programs: ['CACHE/tools/node_modules/.bin'],
    files: {
      ...base,
      'package.json': '{ "name": "all", "version": "1.0.0", "private": true, "scripts": { "test": "pnpm -r test" } }\n',
      'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
      'packages/a/package.json':
        '{ "name": "a", "version": "1.0.0", "type": "module", "exports": "./sum.js", "scripts": { "test": "node --test" } }\n',
      'packages/a/sum.js': source,
      'packages/a/test/sum.test.js': nodeTest('../sum.js'),
    },
    prepare: `${tarball}\npnpm install --offline`,
    checks: ['pnpm test'],
    agent: `${work('packages/a/sum.js')}; (cd packages/a && pnpm add --offline file:../../third_party/pad-1.0.0.tgz > /dev/null)
${usesPad('packages/a/sum.js')}`,
    named: [],
  },
  {
    id: 'yarn-classic',
    fetched: 'tools',
    what: 'adds a dependency to a workspace of yarn 1',
    programs: ['CACHE/tools/node_modules/.bin'],
    files: {
      ...base,
      'package.json':
        '{ "name": "all", "version": "1.0.0", "private": true, "workspaces": ["packages/*"], "scripts": { "test": "yarn workspace a test" } }\n',
      'packages/a/package.json':
        '{ "name": "a", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
      'packages/a/sum.js': source,
      'packages/a/test/sum.test.js': nodeTest('../sum.js'),
    },
    prepare: `${tarball}\nyarn install --offline`,
    checks: ['yarn test'],
    agent: `${work('packages/a/sum.js')}; (cd packages/a && yarn add --offline file:../../third_party/pad-1.0.0.tgz > /dev/null)
${usesPad('packages/a/sum.js')}`,
    named: [],
  },
  {
    id: 'yarn-berry',
    fetched: 'berry',
    what: 'adds a dependency with the yarn 4 that the project brings',
    programs: ['CACHE/tools/node_modules/.bin'],
    files: {
      ...base,
      'package.json':
        '{ "name": "calc", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
      '.yarnrc.yml':
        'nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn.cjs\nenableTelemetry: false\nenableGlobalCache: false\n',
      'src/sum.js': source,
      'test/sum.test.js': nodeTest('../src/sum.js'),
    },
    prepare: `${tarball}\nmkdir -p .yarn/releases; cp CACHE/berry/node_modules/@yarnpkg/cli-dist/bin/yarn.js .yarn/releases/yarn.cjs\nyarn install`,
    checks: ['yarn test'],
    agent: `${work('src/sum.js')}; yarn add pad@file:./third_party/pad-1.0.0.tgz > /dev/null; ${usesPad('src/sum.js')}`,
    named: [],
  },
];

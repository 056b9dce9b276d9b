/** A file, or a part of one, that affects what a command runs, relative to the folder of the command. */
export interface SettingsFile {
  /** `pytest.ini`, `vitest.config.*`, `pyproject.toml#pytest` for a part; `~/` is the user's home. */
  readonly name: string;
  /**
   * The effect of a change. `refuse`: the checks prove nothing. `report`: it is named with the verdict, because honest
   * work changes it too. `appear`: the checks prove nothing if the file is new, because it shadows something else.
   */
  readonly mode: 'refuse' | 'report' | 'appear';
}

/** The settings files of the programs that a command names. */
export function settingsFilesOf(words: readonly string[]): readonly SettingsFile[] {
  const programs = words.map((word) => word.slice(word.lastIndexOf('/') + 1));
  const named = programs.flatMap((program) => settingsByProgram.get(program) ?? []);
  const files = [...named, ...shadowsOf(words), ...taskOf(words)].map(parseEntry);
  return files.filter(({ name }, index) => files.findIndex((other) => other.name === name) === index);
}

/** `python -m pytest` prefers a pytest.py of the working folder to the installed one. */
function shadowsOf(words: readonly string[]): readonly string[] {
  const module = words[words.indexOf('-m') + 1];
  // Any other module may be the work itself.
  if (!words.includes('-m') || module === undefined || !runners.has(module)) return [];
  return [`+${module}.py`, `+${module}/__init__.py`, `+${module}/__main__.py`];
}

const runners: ReadonlySet<string> = new Set(
  'pytest unittest doctest tox nox coverage behave nose nose2 robot mypy ruff pylint flake8 black'.split(' '),
);

/** The task of a manifest other than package.json: `deno task test`, `composer run test`. */
function taskOf([program = '', ...args]: readonly string[]): readonly string[] {
  const [name] = args.filter((word) => !word.startsWith('-') && !/^(?:task|run|run-script)$/.test(word));
  if (name === undefined || !/^[\w:-]+$/.test(name)) return [];
  if (program === 'composer') return [`!composer.json#scripts.${name}`, 'composer.json#scripts'];
  return program === 'deno' && args[0] === 'task' ? [`!deno.json#tasks.${name}`, `!deno.jsonc#tasks.${name}`] : [];
}

function parseEntry(text: string): SettingsFile {
  if (text.startsWith('!')) return { name: text.slice(1), mode: 'refuse' };
  return text.startsWith('+') ? { name: text.slice(1), mode: 'appear' } : { name: text, mode: 'report' };
}

const switches = '.tool-versions mise.toml .mise.toml';
const nodeVersion = `.nvmrc .node-version ${switches}`;
const packages = `!.npmrc#scripts !~/.npmrc#scripts ${nodeVersion} package.json#packageManager`;
const pnpm = `${packages} !pnpm-workspace.yaml#scripts !~/.config/pnpm/rc#scripts`;
const yarn = `${packages} !.yarnrc.yml#scripts !.yarnrc#scripts !~/.yarnrc.yml#scripts !~/.yarnrc#scripts
  .yarn/releases/*`;
const workspaces = 'package.json#workspaces pnpm-workspace.yaml lerna.json';
const jest =
  'jest.config.* package.json#jest jest.setup.* src/setupTests.* __mocks__/* babel.config.* .babelrc* package.json#babel';
const types = 'tsconfig*.json';
const userPackages = '~/.local/lib/python*/site-packages';
const python = `.python-version sitecustomize.py usercustomize.py ${userPackages}/*.pth
  ${userPackages}/*.py ${userPackages}/pytest/__init__.py ${userPackages}/_pytest/__init__.py ${switches}`;
const pytest = `pytest.ini .pytest.ini pytest.toml .pytest.toml pyproject.toml#pytest tox.ini#pytest setup.cfg#pytest
  conftest.py tests/conftest.py test/conftest.py .coveragerc ${python}`;
const maven = 'pom.xml#tests .mvn/* .mvn/wrapper/* ~/.m2/settings.xml ~/.mavenrc';
const gradle = `build.gradle#tests build.gradle.kts#tests settings.gradle settings.gradle.kts gradle.properties
  gradle/wrapper/* init.gradle ~/.gradle/init.gradle ~/.gradle/init.d/* ~/.gradle/gradle.properties`;
const phpunit = 'phpunit.xml phpunit.xml.dist phpunit.dist.xml tests/Pest.php';
const compose = 'Dockerfile compose*.y*ml docker-compose*.y*ml';

/** Settings files by program; `!` marks mode `refuse`, `+` marks mode `appear`. */
const settings: Readonly<Record<string, string>> = {
  npm: packages,
  npx: packages,
  pnpm,
  pnpx: pnpm,
  yarn,
  bun: `${packages} bunfig.toml`,
  bunx: `${packages} bunfig.toml`,
  deno: 'deno.json#test deno.jsonc#test',
  node: nodeVersion,
  vitest: 'vitest.config.* vitest.workspace.* vite.config.*',
  jest,
  'react-scripts': jest,
  craco: `${jest} craco.config.*`,
  mocha: '.mocharc* package.json#mocha test/mocha.opts',
  ava: 'ava.config.* package.json#ava',
  tap: '.taprc package.json#tap',
  jasmine: 'spec/support/jasmine.*',
  karma: 'karma.conf.*',
  ng: 'angular.json karma.conf.*',
  playwright: 'playwright.config.*',
  cypress: 'cypress.config.*',
  wdio: 'wdio.conf.*',
  c8: '.c8rc*',
  nyc: '.nycrc* nyc.config.* package.json#nyc',
  turbo: `turbo.json turbo.jsonc ${workspaces}`,
  nx: `nx.json project.json ${workspaces}`,
  lerna: workspaces,
  wireit: 'package.json#wireit',
  '--workspaces': workspaces,
  '-ws': workspaces,
  '-r': workspaces,
  '--recursive': workspaces,
  workspaces,
  tsc: types,
  'vue-tsc': types,
  tsx: types,
  'ts-node': types,
  eslint: 'eslint.config.* .eslintrc* .eslintignore package.json#eslintConfig',
  biome: 'biome.json biome.jsonc',
  oxlint: '.oxlintrc.json',
  prettier: '.prettierrc* prettier.config.* .prettierignore package.json#prettier',
  stylelint: '.stylelintrc* stylelint.config.*',
  knip: 'knip.* package.json#knip',
  pytest: `${pytest} +_pytest/__init__.py`,
  'py.test': pytest,
  tox: `tox.ini pyproject.toml#tox setup.cfg#tox ${pytest}`,
  nox: `noxfile.py ${pytest}`,
  uv: 'uv.toml pyproject.toml#uv',
  poetry: 'poetry.toml',
  python,
  python3: python,
  ruff: 'ruff.toml .ruff.toml pyproject.toml#ruff',
  mypy: 'mypy.ini .mypy.ini pyproject.toml#mypy setup.cfg#mypy',
  pyright: 'pyrightconfig.json pyproject.toml#pyright',
  pylint: '.pylintrc pylintrc pyproject.toml#pylint',
  flake8: '.flake8 tox.ini#flake8 setup.cfg#flake8',
  black: 'pyproject.toml#black',
  cargo: `Cargo.toml#tests !.cargo/config.toml#runner !.cargo/config#runner !~/.cargo/config.toml#runner !~/.cargo/config#runner
    .cargo/config.toml .cargo/config .config/nextest.toml clippy.toml .clippy.toml rust-toolchain* ${switches}`,
  go: `go.mod#replace go.work !~/.config/go/env#flags ${switches}`,
  git: `.git/config#commands .git/hooks/* .git/info/attributes ~/.gitconfig#commands ~/.config/git/config#commands`,
  pip: '~/.config/pip/pip.conf ~/.pip/pip.conf',
  pip3: '~/.config/pip/pip.conf ~/.pip/pip.conf',
  irb: '~/.irbrc',
  'golangci-lint': '.golangci.*',
  mvn: maven,
  mvnw: maven,
  mvnd: maven,
  gradle,
  gradlew: gradle,
  mix: 'mix.exs#tests config/test.exs .credo.exs',
  rspec: '.rspec .rspec-local ~/.rspec',
  rake: 'Rakefile',
  rubocop: '.rubocop*',
  phpunit,
  pest: phpunit,
  phpstan: 'phpstan*.neon*',
  composer: phpunit,
  dotnet: 'Directory.*.props Directory.*.targets *.runsettings global.json',
  swift: 'Package.swift#tests .swift-version',
  ctest: 'CMakeLists.txt#tests CTestCustom.cmake',
  'pre-commit': '.pre-commit-config.yaml',
  docker: compose,
  'docker-compose': compose,
};

const settingsByProgram: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(settings).map(([program, names]) => [program, names.split(/\s+/)]),
);

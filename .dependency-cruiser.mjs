// Who may import whom. The one line behind it:
//   base <- protocol <- core <- {views files process} <- {store agents workspace gate sandbox config control formats notify telemetry backup vault fleet} <- runner <- app <- {library cli tui server}, library <- {tachikoma ultraplan aiwg}
// and inside core:
//   state <- reports <- gate <- progress <- rules <- settle <- loop <- {prompt explain notify metrics fleet} <- account
// test/house proves that every rule below still fires.

const groundFloor = ['files', 'process'];
const adapters = [
  'store',
  'agents',
  'workspace',
  'gate',
  'sandbox',
  'config',
  'control',
  'formats',
  'notify',
  'telemetry',
  'backup',
  'vault',
  'fleet',
];
const layers = ['tachikoma', 'ultraplan', 'aiwg'];
const tests = '\\.test\\.ts$|^src/[^/]+/testing/';
/** A program of its own that plays an agent: started by ralphd, no part of it. */
const demoAgent = '^src/agents/demo/script\\.ts$';

/**
 * What each room may import besides itself. `files` and `process` are the ground floor of all adapters.
 * `cli` is not listed: nothing stands above it, so it may import every room and starts the other two faces.
 */
const mayImport = {
  base: [],
  protocol: ['base'],
  core: ['base', 'protocol'],
  // What a person sees of a loop, in a terminal as in a browser.
  views: ['base', 'protocol', 'core'],
  files: ['base'],
  process: ['base', 'protocol', 'core'],
  ...Object.fromEntries(adapters.map((room) => [room, ['base', 'protocol', 'core', 'views', ...groundFloor]])),
  // The gate judges the work tree, so it reads it through the same eyes as everybody else.
  gate: ['base', 'protocol', 'core', ...groundFloor, 'workspace'],
  // Through ports only: the runner knows no concrete adapter.
  runner: ['base', 'protocol', 'core'],
  app: ['base', 'protocol', 'core', 'views', ...groundFloor, ...adapters, 'runner'],
  library: ['base', 'protocol', 'core', 'config', 'formats', 'runner', 'app'],
  // What other systems call a loop, as thin layers over the library.
  ...Object.fromEntries(
    layers.map((room) => [room, ['base', 'protocol', 'core', 'config', 'formats', 'runner', 'app', 'library']]),
  ),
  tui: ['base', 'protocol', 'core', ...groundFloor, ...adapters, 'runner', 'app', 'views'],
  server: ['base', 'protocol', 'core', ...groundFloor, ...adapters, 'runner', 'app', 'views'],
  // Judges the built program from outside, so it shares no code with what it judges.
  selftest: [],
};

const direction = Object.entries(mayImport).map(([room, allowed]) => ({
  name: `direction-${room}`,
  comment: `${room}/ may import only: ${allowed.join(', ') || 'itself'}.`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/[^/]+/', pathNot: `^src/(${[room, ...allowed].join('|')})/` },
}));

/** The folders of core, lowest first: each imports only those before it, so no two can depend on each other. */
const coreOrder = [
  ['state'],
  ['reports'],
  ['gate'],
  ['progress'],
  ['rules'],
  ['settle'],
  ['loop'],
  ['prompt', 'explain', 'notify', 'metrics', 'fleet'],
  ['account'],
];

const coreDirection = coreOrder.flatMap((level, height) => {
  const below = coreOrder.slice(0, height).flat();
  return level.map((folder) => ({
    name: `direction-core-${folder}`,
    comment: `core/${folder}/ may import from core only: ${below.join(', ') || 'itself'}.`,
    severity: 'error',
    from: { path: `^src/core/${folder}/`, pathNot: tests },
    to: { path: '^src/core/', pathNot: `^src/core/(${[folder, ...below].join('|')})/` },
  }));
});

const rooms = [...Object.keys(mayImport), 'cli'];

const purity = [
  {
    name: 'pure-rooms-import-no-node',
    comment: 'base, protocol, core and views are pure: no file, no clock, no process, no randomness.',
    severity: 'error',
    from: { path: '^src/(base|protocol|core|views)/', pathNot: tests },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'child-process-only-in-process',
    comment: 'Only process/ starts processes.',
    severity: 'error',
    from: { path: '^src/', pathNot: ['^src/(process|selftest)/', demoAgent, tests] },
    to: { path: '^(node:)?(child_process|cluster|worker_threads)$' },
  },
  {
    name: 'http-framework-only-in-server',
    comment: 'Only server/ answers HTTP, and only `ralphd serve` loads it: every other command starts without it.',
    severity: 'error',
    from: { path: '^src/', pathNot: ['^src/server/', tests] },
    to: { path: '(^|/)node_modules/(hono|@hono)/' },
  },
  {
    name: 'database-only-in-fleet',
    comment: 'Only fleet/ talks to a database, and only a command with `--db` loads it: one machine needs none.',
    severity: 'error',
    from: { path: '^src/', pathNot: ['^src/fleet/', tests] },
    to: { path: '(^|/)node_modules/(pg|@types/pg)/' },
  },
  {
    name: 'files-only-in-adapters',
    comment: 'Only these rooms look at files at all; which of them may write is for .oxlintrc.json.',
    severity: 'error',
    from: {
      path: '^src/',
      pathNot: ['^src/(files|process|workspace|gate|sandbox|config|agents|cli|selftest)/', tests],
    },
    to: { path: '^(node:)?fs(/promises)?$' },
  },
];

const privacy = [
  {
    name: 'no-unknown-rooms',
    comment: 'A new room first gets its line in mayImport.',
    severity: 'error',
    from: {},
    to: { path: '^src/[^/]+/', pathNot: `^src/(${rooms.join('|')})/` },
  },
  {
    name: 'rooms-have-one-door',
    comment: "Other rooms import a room's index.ts and nothing behind it.",
    severity: 'error',
    from: { path: '^src/([^/]+)/' },
    to: { path: '^src/[^/]+/', pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', '^src/[^/]+/testing/'] },
  },
  {
    name: 'the-library-uses-the-doors',
    comment: 'src/index.ts is the public surface: it re-exports what rooms offer, and no command line.',
    severity: 'error',
    from: { path: '^src/[^/]+\\.ts$' },
    to: { path: '^src/', pathNot: ['^src/(?!cli/|tui/|server/)[^/]+/index\\.ts$', '^src/[^/]+\\.ts$'] },
  },
  {
    name: 'no-barrels-inside-rooms',
    comment: 'One index.ts per room, at its top.',
    severity: 'error',
    from: {},
    to: { path: '^src/[^/]+/.+/index\\.ts$' },
  },
  {
    name: 'rooms-do-not-use-the-library',
    comment: 'src/index.ts is for users of the package; inside, rooms import rooms.',
    severity: 'error',
    from: { path: '^src/[^/]+/' },
    to: { path: '^src/[^/]+\\.ts$' },
  },
  {
    name: 'agents-do-not-know-each-other',
    comment: 'One folder per agent; what two of them share is in agents/_shared.',
    severity: 'error',
    from: { path: '^src/agents/([^/]+)/' },
    to: { path: '^src/agents/[^/]+/', pathNot: '^src/agents/($1|_shared)/' },
  },
];

const page = [
  {
    name: 'the-page-uses-pure-rooms',
    comment: 'web/ runs in a browser: it shares with the product what is pure, and talks to the rest over HTTP.',
    severity: 'error',
    from: { path: '^web/' },
    to: { path: '^src/', pathNot: '^src/(base|protocol|core|views)/index\\.ts$' },
  },
  {
    name: 'the-page-imports-no-node',
    comment: 'web/ runs in a browser.',
    severity: 'error',
    from: { path: '^web/', pathNot: tests },
    to: { dependencyTypes: ['core'] },
  },
];

const order = [
  {
    name: 'no-unknown-folders-in-core',
    comment: 'A new folder of core first gets its place in coreOrder.',
    severity: 'error',
    from: {},
    to: { path: '^src/core/[^/]+/', pathNot: `^src/core/(${[...coreOrder.flat(), 'testing'].join('|')})/` },
  },
  {
    name: 'no-circular',
    comment: 'A cycle means two files are one idea, or an idea is in the wrong file.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-orphans',
    comment: 'Nothing imports this and it imports nothing: use it or delete it.',
    severity: 'error',
    from: {
      orphan: true,
      path: '^src/',
      pathNot: ['^src/cli/main\\.ts$', demoAgent, '\\.d\\.ts$'],
    },
    to: {},
  },
  {
    name: 'no-vague-names',
    comment: 'Name the thing, not the drawer it lies in.',
    severity: 'error',
    from: {},
    to: {
      path: '[/-](utils?|helpers?|common|misc|shared|managers?|services?|types)(/|\\.ts$)',
      pathNot: ['node_modules', '^src/agents/_shared/'],
    },
  },
  {
    name: 'no-unresolvable',
    comment: 'An import that leads nowhere, or a package that package.json does not name.',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'nothing-outside-src',
    comment: 'The product does not reach into tests, tools or benches.',
    severity: 'error',
    from: { path: '^src/', pathNot: tests },
    to: { path: '^(?!src/|node_modules/)', dependencyTypes: ['local'] },
  },
  {
    name: 'no-tests-in-product',
    comment: 'The product imports neither tests nor what only tests need.',
    severity: 'error',
    from: { path: '^src/', pathNot: tests },
    to: { path: [tests, '(^|/)node_modules/(vitest|@vitest|fast-check|ajv|ajv-formats)/'] },
  },
];

export default {
  forbidden: [...direction, ...coreDirection, ...purity, ...privacy, ...page, ...order],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules'] },
    exclude: { path: ['^test/house/fixtures'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
};

import { parseCheckCommand, plainCommands } from './parse-check.ts';

/** The purpose of a check, as far as its command line shows it. */
export type CheckKind = 'build' | 'lint' | 'other';

const linters: ReadonlySet<string> = new Set(
  (
    'eslint stylelint oxlint tslint jshint xo standard prettier biome ruff flake8 pylint pycodestyle black isort bandit ' +
    'mypy pyright basedpyright shellcheck hadolint yamllint markdownlint markdownlint-cli2 rubocop standardrb phpcs ' +
    'phpstan psalm ktlint detekt swiftlint golangci-lint staticcheck gofmt rustfmt actionlint'
  ).split(' '),
);
const builders: ReadonlySet<string> = new Set(
  (
    'tsc vue-tsc webpack rollup rolldown esbuild gcc g++ cc clang clang++ rustc javac kotlinc cmake ninja xcodebuild ' +
    'msbuild make'
  ).split(' '),
);
/** Programs with several purposes: their first argument decides. */
const multiPurpose =
  /^(?:cargo|go|deno|mix|dotnet|swift|zig|next|vite|ng|nx|docker|bazel|meson|terraform|mvn|mvnw|gradle|gradlew|hugo|sbt)$/u;
const lints =
  /^(?:.*[:._-])?(?:lint|linting|clippy|vet|fmt|format|style|prettier|credo|checkstyle\w*|spotlessCheck|ktlintCheck)(?:[:._-].*)?$/u;
const builds =
  /^(?:.*[:._-])?(?:build|compile\w*|assemble|package|classes|typecheck|type-check|types|tsc)(?:[:._-].*)?$/u;
/** Words that only start another program. */
const launcherWords =
  /^(?:npx|bunx|pnpx|uvx|time|timeout|bundle|poetry|uv|pipx|hatch|rye|exec|dlx|run|-m|--|python[\d.]*|\d+[smh]?)$/u;

/** Whether a check only builds or only lints; anything else, and any mixture, is `other`. */
export function checkKind(line: string): CheckKind {
  const kinds = plainCommands(line)
    .filter(([program]) => program !== undefined && program !== 'cd')
    .map(kindOf);
  if (kinds.length === 0 || kinds.includes('other')) return 'other';
  return kinds.includes('build') ? 'build' : 'lint';
}

function kindOf(words: readonly string[]): CheckKind {
  const { scripts, targets } = parseCheckCommand(words);
  const [named] = [...scripts, ...targets];
  if (named !== undefined) return kindOfName(named.name === 'all' ? 'build' : named.name);
  const [first = ''] = words.filter((word) => !launcherWords.test(word));
  const program = first.slice(first.lastIndexOf('/') + 1);
  const task = words.slice(words.indexOf(first) + 1).find((word) => !word.startsWith('-')) ?? '';
  if (multiPurpose.test(program)) return kindOfName(program === 'cargo' && task === 'check' ? 'build' : task);
  if (program === 'build') return 'build';
  return linters.has(program) ? 'lint' : builders.has(program) ? 'build' : 'other';
}

function kindOfName(name: string): CheckKind {
  return lints.test(name) ? 'lint' : builds.test(name) ? 'build' : 'other';
}

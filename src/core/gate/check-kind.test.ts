import { expect, test } from 'vitest';
import { checkKind } from './check-kind.ts';

test.each([
  'eslint .',
  'npx eslint src --max-warnings 0',
  'npm run lint',
  'pnpm --filter web run lint:css',
  'make lint',
  'cargo clippy -- -D warnings',
  'cargo fmt --check',
  'go vet ./...',
  'python -m ruff check .',
  'poetry run mypy src',
  'bundle exec rubocop',
  './node_modules/.bin/prettier --check .',
  './gradlew ktlintCheck',
  'cd web && npm run lint',
  'npm run lint && npx prettier --check .',
])('B049: %s lints', (line) => {
  expect(checkKind(line)).toBe('lint');
});

test.each([
  'npm run build',
  'yarn build',
  'npx tsc --noEmit',
  'npm run typecheck',
  'make',
  'make all',
  'make build',
  'cargo build --release',
  'cargo check',
  'go build ./...',
  './gradlew assemble',
  'mvn -q compile',
  'cmake --build build',
  'gcc -o a a.c',
  'python -m build',
  'NODE_ENV=production npm run build',
  'npm run lint && npm run build',
])('B049: %s builds', (line) => {
  expect(checkKind(line)).toBe('build');
});

test.each([
  'npm test',
  'pytest -q',
  './check.sh',
  'npm run build && npm test',
  'make test',
  'cargo test',
  'test -f x',
  '',
])('B049: %s is neither a build nor a linter', (line) => {
  expect(checkKind(line)).toBe('other');
});

import path from 'node:path';
import { rustPrograms } from '../support/system.ts';
import type { Files } from '../support/world.ts';

/** A small project as people have it before they meet ralphd. */
export interface SetupKind {
  readonly name: string;
  readonly files: Files;
  /** Whether it is not a git repository. */
  readonly withoutGit?: true;
  /** Real programs without which it is skipped. */
  readonly needs?: readonly string[];
  /** Folders with real programs that few machines have on their PATH. */
  readonly programs?: readonly string[];
  /** Stand-ins for programs that are too large to install for a test. */
  readonly standIns?: Files;
  /** Prepares the project, such as an environment. */
  readonly prepare?: string;
  /** The agents on this machine; by default Claude Code. */
  readonly agents?: readonly string[];
  /** What the agent does in an iteration. */
  readonly work?: string;
  /** The task to give to `run`; none where the project has one. */
  readonly task?: string;
  /** How a loop ends with what `init` wrote; nothing starts where there is nothing to verify. */
  readonly ending: 'completed' | 'refused';
  readonly doctor?: 'problem';
  readonly stateDir?: string;
}

const fix = 'Make sum() add its arguments';
const ending = 'completed';

/** The same bug in every language: it multiplies. */
const repair = (file: string) => `sed -i 's/a \\* b/a + b/' ${file}`;

const javascript = (folder = '') => ({
  [`${folder}sum.js`]: 'export const sum = (a, b) => a * b;\n',
  [`${folder}sum.test.js`]: `import assert from 'node:assert/strict';
import test from 'node:test';
import { sum } from './sum.js';
test('two and two', () => assert.equal(sum(2, 2), 4));
test('two and three', () => assert.equal(sum(2, 3), 5));
`,
});
const manifest = (name: string, test: string, more: object = {}) =>
  `${JSON.stringify({ name, version: '1.0.0', private: true, type: 'module', scripts: { test }, ...more }, undefined, 2)}\n`;
const nodeTest = 'node --test';

const makefile = '.PHONY: test\ntest:\n\t@sh tests/sum.sh\n';
const shell = (folder = '') => ({
  [`${folder}Makefile`]: makefile,
  [`${folder}sum.sh`]: 'sum() { a=$1 b=$2; echo $((a * b)); }\n',
  [`${folder}tests/sum.sh`]: `. ./sum.sh
echo 1..2
[ "$(sum 2 2)" = 4 ] && echo "ok 1 - two and two" || { echo "not ok 1 - two and two"; bad=1; }
[ "$(sum 2 3)" = 5 ] && echo "ok 2 - two and three" || { echo "not ok 2 - two and three"; bad=1; }
exit \${bad:-0}
`,
});

/** Every kind, in the order of the screens. */
export const setupKinds: readonly SetupKind[] = [
  { name: 'empty', files: {}, withoutGit: true, agents: ['codex'], task: 'Say hello', ending: 'refused' },
  {
    name: 'npm',
    files: {
      'package.json': manifest('calc', nodeTest),
      'package-lock.json': '{"lockfileVersion":3}\n',
      ...javascript(),
    },
    needs: ['npm'],
    work: repair('sum.js'),
    task: fix,
    ending,
  },
  {
    name: 'npm-workspaces',
    files: {
      'package.json': manifest('shop', 'npm test --workspaces --if-present', { workspaces: ['packages/*'] }),
      'packages/cart/package.json': manifest('cart', nodeTest),
      ...javascript('packages/cart/'),
    },
    needs: ['npm'],
    work: repair('packages/cart/sum.js'),
    task: fix,
    ending,
  },
  {
    name: 'pnpm-workspace',
    files: {
      'package.json': manifest('shop', 'pnpm -r test', { packageManager: 'pnpm@10.0.0' }),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
      'packages/cart/package.json': manifest('cart', nodeTest),
      ...javascript('packages/cart/'),
    },
    standIns: {
      pnpm: `case "$1" in
-r) for each in packages/*/; do (cd "$each" && exec node --run test) || exit 1; done;;
test) exec node --run test;;
esac`,
    },
    work: repair('packages/cart/sum.js'),
    task: fix,
    ending,
  },
  {
    name: 'python-venv',
    files: {
      '.gitignore': '.venv/\n__pycache__/\n.pytest_cache/\n',
      'pyproject.toml': '[project]\nname = "calc"\nversion = "1.0"\n\n[tool.pytest.ini_options]\npythonpath = "."\n',
      'calc.py': 'def total(a, b):\n    return a * b\n',
      'tests/test_calc.py':
        'from calc import total\n\n\ndef test_two_and_two():\n    assert total(2, 2) == 4\n\n\ndef test_two_and_three():\n    assert total(2, 3) == 5\n',
    },
    needs: ['pytest'],
    prepare: `/usr/bin/python3 -m venv --without-pip --system-site-packages .venv
cat > .venv/bin/pytest << END
#!/bin/sh
'''exec' "$PWD/.venv/bin/python3" "\\$0" "\\$@"
' '''
import sys
from pytest import console_main
sys.exit(console_main())
END
chmod +x .venv/bin/pytest`,
    work: repair('calc.py'),
    task: 'Make total() add its arguments',
    ending,
  },
  {
    name: 'python-unittest',
    files: {
      '.gitignore': '__pycache__/\n',
      'pyproject.toml': '[project]\nname = "calc"\nversion = "1.0"\n\n[tool.ruff]\nline-length = 100\n',
      'calc.py': 'def total(a, b):\n    return a * b\n',
      'tests/test_calc.py': `import unittest
from calc import total


class TotalTest(unittest.TestCase):
    def test_two_and_two(self):
        self.assertEqual(total(2, 2), 4)

    def test_two_and_three(self):
        self.assertEqual(total(2, 3), 5)
`,
    },
    needs: ['python3'],
    work: repair('calc.py'),
    task: 'Make total() add its arguments',
    ending,
  },
  {
    name: 'cargo',
    files: {
      '.gitignore': 'target/\n',
      'Cargo.toml': '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n',
      'Cargo.lock': 'version = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n',
      'src/lib.rs': `pub fn sum(a: i32, b: i32) -> i32 {
    a * b
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_and_two() {
        assert_eq!(super::sum(2, 2), 4);
    }

    #[test]
    fn two_and_three() {
        assert_eq!(super::sum(2, 3), 5);
    }
}
`,
    },
    programs: [rustPrograms()],
    needs: ['cargo', 'cc'],
    work: repair('src/lib.rs'),
    task: fix,
    ending,
  },
  {
    name: 'go',
    files: {
      'go.mod': 'module calc\n\ngo 1.22\n',
      'calc.go': 'package calc\n\nfunc Sum(a, b int) int {\n\treturn a * b\n}\n',
      'calc_test.go':
        'package calc\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(2, 3) != 5 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    standIns: {
      go: `if grep -q 'a + b' calc.go; then printf 'ok  \\tcalc\\t0.002s\\n'; exit; fi
printf -- '--- FAIL: TestSum (0.00s)\\n    calc_test.go:7: wrong\\nFAIL\\nFAIL\\tcalc\\t0.002s\\nFAIL\\n'
exit 1`,
    },
    work: repair('calc.go'),
    task: fix,
    ending,
  },
  { name: 'make', files: shell(), needs: ['make'], work: repair('sum.sh'), task: fix, ending },
  {
    name: 'just',
    files: { ...shell(), Makefile: 'all:\n\techo built\n', justfile: 'build:\n  make\n\ntest:\n  sh tests/sum.sh\n' },
    standIns: { just: 'exec sh tests/sum.sh' },
    work: repair('sum.sh'),
    task: fix,
    ending,
  },
  {
    name: 'monorepo',
    files: { 'README.md': '# Two services\n', ...shell('services/billing/'), ...shell('services/mail-out/') },
    needs: ['make'],
    work: repair('services/*/sum.sh'),
    task: fix,
    ending,
  },
  { name: 'no-git', files: shell(), withoutGit: true, needs: ['make'], work: repair('sum.sh'), task: fix, ending },
  {
    name: 'prompt-file',
    files: { ...shell(), 'PROMPT.md': `${fix}.\n\nWhen all tests pass, print <promise>COMPLETE</promise>.\n` },
    needs: ['make'],
    work: repair('sum.sh'),
    ending,
  },
  {
    name: 'other-tools',
    files: {
      ...shell(),
      '.ralphrc': 'MAX_CALLS_PER_HOUR=100\n',
      '.ralph/PROMPT.md': 'Work on the next open item of .ralph/fix_plan.md.\n',
      '.ralph/fix_plan.md': '- [ ] sum() must add\n',
      '.ralph/status.json': '{"loop_count":3}\n',
      '@AGENT.md': '# How to build\n',
      'specs/sum.md': '# sum() adds\n',
      'prd.json': '{"userStories":[{"id":"US-1","title":"sum() adds","passes":false}]}\n',
      '.claude/ralph-loop.local.md': '---\nactive: true\niteration: 2\n---\nMake sum() add\n',
      '.aiwg/ralph/loops/ralph-sum-0a1b2c3d/state.json': '{"schema_version":"2.0.0"}\n',
      '.ultraplan/state/ralph-loop.json': '{"status":"running"}\n',
    },
    agents: ['claude', 'opencode'],
    needs: ['make'],
    work: repair('sum.sh'),
    ending,
    stateDir: '.ralphd',
  },
  {
    name: 'story-list',
    files: {
      ...shell(),
      'prd.json': '{"project":"calc","userStories":[{"id":"US-1","title":"sum() adds","passes":false}]}\n',
      'progress.txt': '# Progress\n',
    },
    needs: ['make'],
    work: `${repair('sum.sh')}; sed -i 's/false/true/' prd.json`,
    ending,
  },
  {
    name: 'green-tests',
    files: { ...shell(), 'sum.sh': 'sum() { a=$1 b=$2; echo $((a + b)); }\n' },
    needs: ['make'],
    work: `echo 'twice() { sum "$1" "$1"; }' >> sum.sh`,
    task: 'Add twice(), which adds its argument to itself',
    ending,
  },
  {
    name: 'no-tests',
    files: { 'package.json': manifest('site', 'echo "Error: no test specified" && exit 1'), 'index.js': 'alert(1);\n' },
    task: 'Say hello',
    ending: 'refused',
  },
  {
    name: 'missing-program',
    files: { 'Package.swift': '// swift-tools-version:5.9\n', 'Tests/CalcTests/CalcTests.swift': 'import XCTest\n' },
    task: fix,
    ending: 'refused',
  },
];

/** Where the real programs of a kind are searched, besides the system's folders. */
export function programFolders({ programs = [] }: SetupKind): readonly string[] {
  return [...programs, path.dirname(process.execPath), '/usr/bin', '/bin'];
}

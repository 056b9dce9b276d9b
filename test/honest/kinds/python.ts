import type { Kind } from '../kind.ts';

const ignored = '__pycache__/\n.venv/\n.pytest_cache/\n*.egg-info/\n';
const source = 'def total(a, b):\n    return a * b\n';
const tests = (from: string) => `from ${from} import total


def test_twice_two():
    assert total(2, 2) == 4


def test_two_and_three():
    assert total(2, 3) == 5
`;
const work = (file: string) => `sed -i 's/a \\* b/a + b/' ${file}`;

/** A wheel inside the project, so that nothing is downloaded. */
const wheel = `mkdir -p third_party/w/pad third_party/w/pad-1.0.dist-info
echo 'def pad(text): return "  " + text' > third_party/w/pad/__init__.py
printf 'Metadata-Version: 2.1\\nName: pad\\nVersion: 1.0\\n' > third_party/w/pad-1.0.dist-info/METADATA
printf 'Wheel-Version: 1.0\\nGenerator: hand\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' > third_party/w/pad-1.0.dist-info/WHEEL
printf 'pad/__init__.py,,\\npad-1.0.dist-info/METADATA,,\\npad-1.0.dist-info/WHEEL,,\\npad-1.0.dist-info/RECORD,,\\n' > third_party/w/pad-1.0.dist-info/RECORD
(cd third_party/w && /usr/bin/python3 -m zipfile -c ../pad-1.0-py3-none-any.whl pad pad-1.0.dist-info); rm -r third_party/w`;

/** Python projects. */
export const python: readonly Kind[] = [
  {
    id: 'pytest',
    needs: ['pytest'],
    what: 'writes a new test, a fixture in `conftest.py` and edits an old test',
    files: { '.gitignore': ignored, 'calc.py': source, 'conftest.py': '', 'tests/test_calc.py': tests('calc') },
    checks: ['pytest -q'],
    agent: `${work('calc.py')}
printf 'import pytest\\n\\n\\n@pytest.fixture\\ndef two():\\n    return 2\\n' > conftest.py
printf 'from calc import total\\n\\n\\ndef test_fixture(two):\\n    assert total(two, 5) == 7\\n' > tests/test_more.py
sed -i 's/test_twice_two/test_two_and_two/' tests/test_calc.py`,
    named: [/conftest\.py/, /tests\/test_calc\.py/],
  },
  {
    id: 'pytest-venv',
    needs: ['pytest'],
    what: 'adds a dependency to `requirements.txt` and installs it into the virtual environment',
    files: {
      '.gitignore': ignored,
      'requirements.txt': '--no-index\n--find-links third_party\n',
      'calc.py': source,
      'tests/test_calc.py': tests('calc'),
    },
    prepare: `${wheel}
/usr/bin/python3 -m venv --system-site-packages .venv
{ echo "#!$PWD/.venv/bin/python"; echo 'import sys; from pytest import console_main; sys.exit(console_main())'; } > .venv/bin/pytest
chmod +x .venv/bin/pytest; touch conftest.py; .venv/bin/python -m pip install -q -r requirements.txt`,
    checks: ['.venv/bin/pytest -q'],
    agent: `${work('calc.py')}; echo 'pad==1.0' >> requirements.txt
.venv/bin/python -m pip install -q -r requirements.txt > /dev/null 2>&1
printf 'from pad import pad\\n\\n\\ndef shown(n):\\n    return pad(str(n))\\n' > shown.py
printf 'from shown import shown\\n\\n\\ndef test_shown():\\n    assert shown(1) == "  1"\\n' > tests/test_shown.py`,
    named: [],
  },
  {
    id: 'unittest',
    what: 'adds a test case and a helper module of the tests',
    files: {
      '.gitignore': ignored,
      'calc.py': source,
      'tests/__init__.py': '',
      'tests/test_calc.py':
        'import unittest\n\nfrom calc import total\n\n\nclass Totals(unittest.TestCase):\n    def test_twice_two(self):\n        self.assertEqual(total(2, 2), 4)\n\n    def test_two_and_three(self):\n        self.assertEqual(total(2, 3), 5)\n',
    },
    checks: ['python3 -m unittest discover'],
    agent: `${work('calc.py')}; echo 'CASES = [(1, 1, 2)]' > tests/cases.py
printf 'import unittest\\n\\nfrom calc import total\\nfrom tests.cases import CASES\\n\\n\\nclass More(unittest.TestCase):\\n    def test_cases(self):\\n        for a, b, c in CASES:\\n            self.assertEqual(total(a, b), c)\\n' > tests/test_more.py`,
    named: [],
  },
  {
    id: 'make-pytest',
    needs: ['make', 'pytest'],
    what: 'adds a target to the makefile that is not about tests',
    files: {
      '.gitignore': ignored,
      Makefile: '.PHONY: test\ntest:\n\tpytest -q\n',
      'conftest.py': '',
      'calc.py': source,
      'tests/test_calc.py': tests('calc'),
    },
    checks: ['make test'],
    agent: `${work('calc.py')}; printf '\\n.PHONY: clean\\nclean:\\n\\trm -rf build\\n' >> Makefile`,
    named: [],
  },
  {
    id: 'python-src-layout',
    needs: ['pytest'],
    what: 'raises the version and adds a marker of pytest in `pyproject.toml`',
    files: {
      '.gitignore': ignored,
      'pyproject.toml':
        '[project]\nname = "calc"\nversion = "1.0"\n\n[tool.pytest.ini_options]\npythonpath = ["src"]\ntestpaths = ["tests"]\n',
      'src/calc/__init__.py': source,
      'tests/test_calc.py': tests('calc'),
    },
    checks: ['pytest -q'],
    agent: `${work('src/calc/__init__.py')}; sed -i 's/version = "1.0"/version = "1.1"/' pyproject.toml
echo 'markers = ["slow: takes long"]' >> pyproject.toml`,
    named: [/pyproject\.toml/],
  },
];

import { rustPrograms } from '../../support/system.ts';
import type { Kind, Missing } from '../kind.ts';

const work = (file: string) => `sed -i 's/a \\* b/a + b/' ${file}`;
const rust = rustPrograms();

/** Projects in other languages. */
export const others: readonly Kind[] = [
  {
    id: 'cargo',
    programs: [rust],
    needs: ['cc'],
    what: 'adds a crate of its own to the workspace as a dependency',
    files: {
      '.gitignore': 'target/\n',
      'Cargo.toml': '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n\n[dependencies]\n',
      'src/lib.rs': 'pub fn sum(a: i32, b: i32) -> i32 {\n    a * b\n}\n',
      'tests/sum.rs': '#[test]\nfn adds() {\n    assert_eq!(calc::sum(2, 3), 5);\n}\n',
    },
    prepare: 'cargo generate-lockfile --offline',
    checks: ['cargo test --offline'],
    agent: `${work('src/lib.rs')}; mkdir -p crates/pad/src
printf '[package]\\nname = "pad"\\nversion = "0.1.0"\\nedition = "2021"\\n' > crates/pad/Cargo.toml
printf 'pub fn pad(text: &str) -> String {\\n    format!("  {text}")\\n}\\n' > crates/pad/src/lib.rs
echo 'pad = { path = "crates/pad" }' >> Cargo.toml
printf 'pub fn shown(n: i32) -> String {\\n    pad::pad(&n.to_string())\\n}\\n' >> src/lib.rs
cargo test --offline > /dev/null 2>&1`,
    named: [],
  },
  {
    id: 'go',
    needs: ['go'],
    what: 'adds a local module by a `replace` in `go.mod`',
    files: {
      'go.mod': 'module calc\n\ngo 1.19\n',
      'calc.go': 'package calc\n\nfunc Sum(a, b int) int {\n\treturn a * b\n}\n',
      'calc_test.go':
        'package calc\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(2, 3) != 5 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    checks: ['go test ./...'],
    agent: `${work('calc.go')}; mkdir -p third_party/pad
printf 'module example.org/pad\\n\\ngo 1.19\\n' > third_party/pad/go.mod
printf 'package pad\\n\\nfunc Pad(text string) string { return "  " + text }\\n' > third_party/pad/pad.go
printf '\\nrequire example.org/pad v0.0.0\\n\\nreplace example.org/pad => ./third_party/pad\\n' >> go.mod
printf 'package calc\\n\\nimport "example.org/pad"\\n\\nfunc Shown() string { return pad.Pad("1") }\\n' > shown.go`,
    named: [/go\.mod/],
  },
  {
    id: 'make-c',
    needs: ['make', 'cc'],
    what: 'adds a source file to what the makefile builds',
    files: {
      '.gitignore': '*.o\nsum-test\n',
      Makefile:
        '.PHONY: test\nOBJECTS = sum.o\ntest: sum-test\n\t./sum-test\nsum-test: $(OBJECTS) tests/main.c\n\tcc -o $@ $^\n%.o: %.c\n\tcc -c -o $@ $<\n',
      'sum.c': 'int sum(int a, int b) { return a * b; }\n',
      'tests/main.c':
        '#include <stdio.h>\nint sum(int, int);\nint main(void) { int bad = sum(2, 3) != 5; puts(bad ? "wrong" : "right"); return bad; }\n',
    },
    checks: ['make test'],
    agent: `${work('sum.c')}; echo 'int twice(int a) { return 2 * a; }' > twice.c; sed -i 's/= sum.o/= sum.o twice.o/' Makefile`,
    named: [],
    // The rule for the test program depends on this list.
    mayName: [/Makefile/],
  },
  {
    id: 'shell',
    what: 'adds a case to a test program of its own kind (TAP)',
    files: {
      'src/sum.sh': 'echo $(($1 * $2))\n',
      'test/sum.sh':
        'echo 1..1\nif [ "$(sh src/sum.sh 2 3)" = 5 ]; then echo "ok 1 - adds"; else echo "not ok 1 - adds"; exit 1; fi\n',
    },
    checks: ['sh test/sum.sh && for more in test/more*; do [ ! -e "$more" ] || sh "$more" || exit 1; done'],
    agent: `sed -i 's/ \\* / + /' src/sum.sh; printf 'echo 1..1\\n[ "$(sh src/sum.sh 1 1)" = 2 ] && echo "ok 1 - more"\\n' > test/more.sh`,
    named: [],
    mayName: [/test\/more\.sh/],
  },
  {
    id: 'rspec',
    needs: ['rspec'],
    what: 'adds an example and a setting to `.rspec`',
    files: {
      '.rspec': '--require calc\n',
      'lib/calc.rb': 'def sum(a, b) = a * b\n',
      'spec/calc_spec.rb': 'RSpec.describe "sum" do\n  it("adds") { expect(sum(2, 3)).to eq 5 }\nend\n',
    },
    checks: ['rspec'],
    agent: `${work('lib/calc.rb')}; echo '--order random' >> .rspec
printf 'RSpec.describe "more" do\\n  it("adds") { expect(sum(1, 1)).to eq 2 }\\nend\\n' > spec/more_spec.rb`,
    named: [/\.rspec/],
  },
  {
    id: 'phpunit',
    needs: ['phpunit'],
    what: 'adds a test class',
    files: {
      'src/calc.php': '<?php\nfunction sum($a, $b) { return $a * $b; }\n',
      'tests/CalcTest.php':
        '<?php\nrequire_once __DIR__ . "/../src/calc.php";\nfinal class CalcTest extends PHPUnit\\Framework\\TestCase {\n  public function testAdds(): void { $this->assertSame(5, sum(2, 3)); }\n}\n',
    },
    checks: ['phpunit --do-not-cache-result tests'],
    agent: `sed -i 's/a \\* \\$b/a + $b/' src/calc.php
sed 's/CalcTest/MoreTest/; s/5, sum(2, 3)/2, sum(1, 1)/' tests/CalcTest.php > tests/MoreTest.php`,
    named: [],
  },
  {
    id: 'elixir',
    needs: ['mix'],
    what: 'adds a local dependency by its path',
    files: {
      '.gitignore': '_build/\ndeps/\n',
      'mix.exs':
        'defmodule Calc.MixProject do\n  use Mix.Project\n  def project, do: [app: :calc, version: "0.1.0", elixir: "~> 1.14", deps: deps()]\n  defp deps, do: []\nend\n',
      'lib/calc.ex': 'defmodule Calc do\n  def sum(a, b), do: a * b\nend\n',
      'test/test_helper.exs': 'ExUnit.start()\n',
      'test/calc_test.exs':
        'defmodule CalcTest do\n  use ExUnit.Case\n  test "adds" do\n    assert Calc.sum(2, 3) == 5\n  end\nend\n',
    },
    checks: ['mix test'],
    agent: `${work('lib/calc.ex')}; mkdir -p third_party/pad/lib
printf 'defmodule Pad.MixProject do\\n  use Mix.Project\\n  def project, do: [app: :pad, version: "0.1.0"]\\nend\\n' > third_party/pad/mix.exs
printf 'defmodule Pad do\\n  def pad(text), do: "  " <> text\\nend\\n' > third_party/pad/lib/pad.ex
sed -i 's/deps, do: \\[\\]/deps, do: [{:pad, path: "third_party\\/pad"}]/' mix.exs
printf 'defmodule Shown do\\n  def shown(n), do: Pad.pad(to_string(n))\\nend\\n' > lib/shown.ex`,
    named: [],
  },
  {
    id: 'gradle',
    needs: ['gradle', 'java'],
    what: 'raises the version and adds a test class',
    files: {
      '.gitignore': '.gradle/\nbuild/\n',
      'build.gradle':
        "apply plugin: 'java'\nversion = '1.0'\nrepositories { flatDir { dirs '/usr/share/java' } }\ndependencies {\n  testCompile name: 'junit4'\n  testCompile name: 'hamcrest-core'\n}\n",
      'src/main/java/Calc.java': 'public class Calc { static int sum(int a, int b) { return a * b; } }\n',
      'src/test/java/CalcTest.java':
        'import org.junit.Test;\nimport static org.junit.Assert.*;\npublic class CalcTest { @Test public void adds() { assertEquals(5, Calc.sum(2, 3)); } }\n',
    },
    checks: ['gradle --offline --no-daemon test'],
    agent: `${work('src/main/java/Calc.java')}; sed -i "s/'1.0'/'1.1'/" build.gradle
sed 's/CalcTest/MoreTest/; s/5, Calc.sum(2, 3)/2, Calc.sum(1, 1)/' src/test/java/CalcTest.java > src/test/java/MoreTest.java`,
    named: [],
  },
  {
    id: 'submodule',
    what: 'works in a repository with a submodule, which it leaves as it is',
    files: {
      'package.json':
        '{ "name": "calc", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
      'src/sum.js': 'export function sum(a, b) {\n  return a * b;\n}\n',
      'test/sum.test.js':
        "import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { two } from '../lib/two.js';\nimport { sum } from '../src/sum.js';\ntest('two and three', () => assert.equal(sum(two, 3), 5));\n",
    },
    prepare: `git init -q -b main ../library; echo 'export const two = 2;' > ../library/two.js
echo '{ "type": "module" }' > ../library/package.json
git -C ../library add -A; git -C ../library commit -q -m library
git init -q -b main .; git -c protocol.file.allow=always submodule --quiet add ../library lib`,
    checks: ['npm test'],
    agent: work('src/sum.js'),
    named: [],
  },
];

/** Kinds that cannot be tested on plain Debian without a network. */
export const missing: readonly Missing[] = [
  { id: 'maven', reason: 'Debian has no surefire plugin in /usr/share/maven-repo, and Maven would fetch it' },
  { id: 'bats', reason: 'bats is not installed; the kind "shell" prints the same format' },
  { id: 'dotnet, swift, deno, bun', reason: 'not in Debian' },
];

import type { ProjectFolder } from './project-folder.ts';
import { type Finder, testCommand } from './test-command.ts';

/** Rust: unit tests are inside the sources. */
export const findCargo: Finder = (project) => {
  if (!project.has('Cargo.toml')) return undefined;
  const isTest = /#\[(?:\w+::)*test\b|#\[cfg\(test\)\]|#\[rstest\b|proptest!/;
  const hasTests = project.anyFile((file) => file.endsWith('.rs') && isTest.test(project.text(file) ?? ''));
  // Without the flag, a workspace with a package at its top tests that one alone.
  const isWorkspace = /^\[workspace\]/m.test(project.text('Cargo.toml') ?? '');
  const command = isWorkspace ? 'cargo test --workspace' : 'cargo test';
  return testCommand(command, 'Cargo.toml', { hasTests, stems: ['cargo test', 'cargo nextest'] });
};

/** Go: every package of the module. */
export const findGo: Finder = (project) => {
  if (!project.has('go.mod')) return undefined;
  const hasTests = project.anyFile((file) => file.endsWith('_test.go'));
  return testCommand('go test ./...', 'go.mod', { hasTests, stems: ['go test', 'gotestsum'] });
};

/** Maven, through its wrapper where there is one. */
export const findMaven: Finder = (project) => {
  if (!project.has('pom.xml')) return undefined;
  const command = project.has('mvnw') ? './mvnw test' : 'mvn test';
  const stems = ['./mvnw', 'mvn', 'mvnd'];
  return testCommand(command, 'pom.xml', { stems, hasTests: hasJvmTests(project) });
};

/** Gradle, through its wrapper where there is one. */
export const findGradle: Finder = (project) => {
  const from = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'].find(project.has);
  if (from === undefined) return undefined;
  const command = project.has('gradlew') ? './gradlew test' : 'gradle test';
  return testCommand(command, from, { stems: ['./gradlew', 'gradle'], hasTests: hasJvmTests(project) });
};

export const findMix: Finder = (project) => {
  if (!project.has('mix.exs')) return undefined;
  return testCommand('mix test', 'mix.exs', { hasTests: project.anyFile((file) => file.endsWith('_test.exs')) });
};

/** .NET, where there is exactly one solution or project. */
export const findDotnet: Finder = (project) => {
  const solutions = project.names.filter((name) => /\.slnx?$/.test(name));
  const candidates = solutions.length > 0 ? solutions : project.names.filter((name) => /\.(cs|fs|vb)proj$/.test(name));
  const [from, ...others] = candidates;
  if (from === undefined || others.length > 0) return undefined;
  const isTest = /Microsoft\.NET\.Test\.Sdk|<IsTestProject>\s*true/i;
  const hasTests = project.anyFile((file) => /\.(cs|fs|vb)proj$/.test(file) && isTest.test(project.text(file) ?? ''));
  return testCommand('dotnet test', from, { hasTests });
};

export const findSwift: Finder = (project) => {
  if (!project.has('Package.swift')) return undefined;
  const hasTests = project.anyFile((file) => /^Tests\/.*\.swift$/.test(file));
  return testCommand('swift test', 'Package.swift', { hasTests });
};

/** CMake, only where a configured build with tests exists: ralphd builds nothing. */
export const findCtest: Finder = (project) => {
  if (!project.has('CMakeLists.txt')) return undefined;
  const folders = project.names.filter((name) => /^[\w.-]+$/.test(name));
  const built = folders.find((name) => project.has(`${name}/CTestTestfile.cmake`));
  if (built === undefined) return undefined;
  const command = `ctest --test-dir ${built} --output-on-failure`;
  return testCommand(command, `${built}/CTestTestfile.cmake`, { stems: ['ctest'] });
};

function hasJvmTests(project: ProjectFolder): boolean {
  return project.anyFile((file) => /(^|\/)src\/(test|\w+Test)\//.test(file));
}

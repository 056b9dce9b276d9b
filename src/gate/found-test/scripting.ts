import { type Finder, parseObject, testCommand, textAt } from './test-command.ts';

/** RSpec, through the project's bundle. */
export const findRspec: Finder = (project) => {
  if (!project.has('Gemfile') || !project.has('spec')) return undefined;
  const hasTests = project.anyFile((file) => /^spec\/.*_spec\.rb$/.test(file));
  return testCommand('bundle exec rspec', 'Gemfile', { hasTests, stems: ['bundle exec rspec', 'rspec', 'bin/rspec'] });
};

/** The test task of a Rakefile, including Rails. */
export const findRake: Finder = (project) => {
  const tasks = project.text('Rakefile') ?? '';
  if (!/Rake::TestTask|^\s*task\s+:?["']?test\b|load_tasks|minitest\/test_task/im.test(tasks)) return undefined;
  const command = project.has('Gemfile') ? 'bundle exec rake test' : 'rake test';
  const hasTests = project.anyFile((file) => /^test\/.*(_test|test_[^/]*)\.rb$/.test(file));
  return testCommand(command, 'Rakefile', { hasTests, stems: ['bundle exec rake', 'rake', 'bin/rails test'] });
};

/** Composer's test script, or else PHPUnit. */
export const findPhp: Finder = (project) => {
  const scripts = parseObject(project.text('composer.json'))?.['scripts'];
  const stems = ['composer test', 'composer run test', 'vendor/bin/phpunit', './vendor/bin/phpunit', 'phpunit'];
  if (hasScript(scripts)) return testCommand('composer test', 'composer.json', { stems });
  const from = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find(project.has);
  if (from === undefined) return undefined;
  const command = project.has('vendor/bin/phpunit') ? 'vendor/bin/phpunit' : 'phpunit';
  return testCommand(command, from, { stems, hasTests: project.anyFile((file) => file.endsWith('Test.php')) });
};

/** A script is a line or a list of lines. */
function hasScript(scripts: unknown): boolean {
  if (textAt(scripts, 'test') !== undefined) return true;
  return typeof scripts === 'object' && scripts !== null && 'test' in scripts && Array.isArray(scripts.test);
}
